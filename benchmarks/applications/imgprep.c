/*****************************************************************************
 * IMGPREP - scanner picture preparation
 *   1. morphological opening (removes dust specks), disc shaped element
 *   2. luminance histogram equalisation
 *   3. bilinear resize to the target size
 * Pictures are 32 bit RGBA, lines padded to 16 bytes, accessed through a
 * table of line pointers.
 *****************************************************************************/
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdint.h>

typedef uint8_t  BYTE;
typedef uint32_t DWORD;

typedef enum tagIPSTATUS { IPS_OK, IPS_NOMEMORY, IPS_BADPARAM } IPSTATUS;

typedef struct tagIMAGE
{
    int     nWidth, nHeight;
    size_t  cbPitch;
    BYTE   *pBits;
    BYTE  **ppLine;
} IMAGE;

typedef struct tagELEMENT { int nPoints, aDx[128], aDy[128]; } ELEMENT;

typedef enum tagMORPHOP { MORPH_ERODE, MORPH_DILATE } MORPHOP;

typedef struct tagSTATS
{
    DWORD   aHist[256];
    DWORD   dwClipLow, dwClipHigh, dwPixels;
    BYTE    bMedian;
} STATS;

#define PIXEL(img, x, y)    ((img)->ppLine[y] + 4 * (size_t)(x))
#define CLAMP(v, lo, hi)    ((v) < (lo) ? (lo) : (v) > (hi) ? (hi) : (v))
#define LUMA(p)             ((77u * (p)[0] + 151u * (p)[1] + 28u * (p)[2]) >> 8)

static IPSTATUS ImgCreate(IMAGE **ppImage, int nWidth, int nHeight)
{
    IMAGE *pImage;
    int    y;

    if (nWidth <= 0 || nHeight <= 0)
        return IPS_BADPARAM;

    pImage = (IMAGE *)calloc(1, sizeof(IMAGE));
    if (pImage == NULL)
        return IPS_NOMEMORY;
    *ppImage = pImage;
    pImage->nWidth  = nWidth;
    pImage->nHeight = nHeight;
    pImage->cbPitch = ((size_t)nWidth * 4 + 15) & ~(size_t)15;
    pImage->pBits   = (BYTE *)calloc(pImage->cbPitch, (size_t)nHeight);
    pImage->ppLine  = (BYTE **)malloc((size_t)nHeight * sizeof(BYTE *));
    if (pImage->pBits == NULL || pImage->ppLine == NULL)
        return IPS_NOMEMORY;            /* caller destroys */
    for (y = 0; y < nHeight; y++)
        pImage->ppLine[y] = pImage->pBits + (size_t)y * pImage->cbPitch;
    return IPS_OK;
}

static void ImgDestroy(IMAGE *pImage)
{
    if (pImage == NULL)
        return;
    free(pImage->ppLine);
    free(pImage->pBits);
    free(pImage);
}

static void ElementDisc(ELEMENT *pElem, int nRadius)
{
    int dx, dy;

    pElem->nPoints = 0;
    for (dy = -nRadius; dy <= nRadius; dy++)
    {
        for (dx = -nRadius; dx <= nRadius; dx++)
        {
            if (dx * dx + dy * dy > nRadius * nRadius + 1)
                continue;
            pElem->aDx[pElem->nPoints] = dx;
            pElem->aDy[pElem->nPoints++] = dy;
        }
    }
}

/* erosion is dilation of the inverted picture */
static inline void MorphPixel(const IMAGE *pSrc, const ELEMENT *pElem, BYTE bInvert,
                              int x, int y, BYTE *pOut)
{
    BYTE abBest[3] = { 0, 0, 0 };
    int  i, c;

    for (i = 0; i < pElem->nPoints; i++)
    {
        const int   sx = CLAMP(x + pElem->aDx[i], 0, pSrc->nWidth - 1);
        const int   sy = CLAMP(y + pElem->aDy[i], 0, pSrc->nHeight - 1);
        const BYTE *p  = PIXEL(pSrc, sx, sy);

        for (c = 0; c < 3; c++)
            if ((p[c] ^ bInvert) > abBest[c])
                abBest[c] = p[c] ^ bInvert;
    }
    for (c = 0; c < 3; c++)
        pOut[c] = abBest[c] ^ bInvert;
    pOut[3] = PIXEL(pSrc, x, y)[3];
}

static IPSTATUS ImgMorph(const IMAGE *pSrc, IMAGE *pDst, const ELEMENT *pElem, MORPHOP op)
{
    const BYTE bInvert = op == MORPH_ERODE ? 255 : 0;
    int x, y;

    if (pSrc->nWidth != pDst->nWidth || pSrc->nHeight != pDst->nHeight)
        return IPS_BADPARAM;

/* OMP: parallel for private(x) schedule(static) */
    for (y = 0; y < pSrc->nHeight; y++)
    {
        BYTE *pOut = pDst->ppLine[y];

        for (x = 0; x < pSrc->nWidth; x++, pOut += 4)
            MorphPixel(pSrc, pElem, bInvert, x, y, pOut);
    }
    return IPS_OK;
}

static IPSTATUS ImgEqualize(IMAGE *pImage, STATS *pStats)
{
    DWORD aHist[256] = { 0 };
    BYTE  abMap[256];
    DWORD dwSum = 0, dwLow = 0, dwHigh = 0, dwTotal;
    int   x, y, i;

/* OMP: parallel for private(x) reduction(+:aHist[:256]) */
    for (y = 0; y < pImage->nHeight; y++)
    {
        const BYTE *p = pImage->ppLine[y];

        for (x = 0; x < pImage->nWidth; x++, p += 4)
            aHist[LUMA(p)]++;
    }
    dwTotal = (DWORD)pImage->nWidth * (DWORD)pImage->nHeight;
    if (dwTotal == 0)
        return IPS_BADPARAM;

    pStats->bMedian = 0;
    for (i = 0; i < 256; i++)
    {
        dwSum += aHist[i];
        abMap[i] = (BYTE)((uint64_t)dwSum * 255u / dwTotal);
        if (dwSum * 2u < dwTotal)
            pStats->bMedian = (BYTE)(i + 1);
    }

/* OMP: parallel for private(x, i) reduction(+:dwLow, dwHigh) */
    for (y = 0; y < pImage->nHeight; y++)
    {
        BYTE *p = pImage->ppLine[y];

        for (x = 0; x < pImage->nWidth; x++, p += 4)
        {
            const DWORD dwOld = LUMA(p);
            const DWORD dwNew = abMap[dwOld];
            const DWORD dwGain = dwOld ? (dwNew << 12) / dwOld : 4096u;

            for (i = 0; i < 3; i++)
            {
                DWORD v = (p[i] * dwGain + 2048u) >> 12;

                dwHigh += v > 255u;
                dwLow  += v == 0;
                p[i] = (BYTE)(v > 255u ? 255u : v);
            }
        }
    }
    memcpy(pStats->aHist, aHist, sizeof(aHist));
    pStats->dwClipLow  += dwLow;
    pStats->dwClipHigh += dwHigh;
    pStats->dwPixels   += dwTotal;
    return IPS_OK;
}

static void ImgResize(const IMAGE *pSrc, IMAGE *pDst)
{
    const int nStepX = (int)(((int64_t)pSrc->nWidth << 16) / pDst->nWidth);
    const int nStepY = (int)(((int64_t)pSrc->nHeight << 16) / pDst->nHeight);
    int x, y, c;

/* OMP: parallel for private(x, c) */
    for (y = 0; y < pDst->nHeight; y++)
    {
        const int   fy  = y * nStepY, y0 = fy >> 16;
        const int   y1  = CLAMP(y0 + 1, 0, pSrc->nHeight - 1);
        const DWORD wy  = (DWORD)(fy & 0xFFFF) >> 8;
        int         fx  = 0;
        BYTE       *out = pDst->ppLine[y];

        for (x = 0; x < pDst->nWidth; x++)
        {
            const int   x0 = fx >> 16, x1 = CLAMP(x0 + 1, 0, pSrc->nWidth - 1);
            const DWORD wx = (DWORD)(fx & 0xFFFF) >> 8;
            const BYTE *a = PIXEL(pSrc, x0, y0), *b = PIXEL(pSrc, x1, y0);
            const BYTE *d = PIXEL(pSrc, x0, y1), *e = PIXEL(pSrc, x1, y1);

            for (c = 0; c < 4; c++)
            {
                const DWORD top = a[c] * (256u - wx) + b[c] * wx;
                const DWORD bot = d[c] * (256u - wx) + e[c] * wx;
                *out++ = (BYTE)((top * (256u - wy) + bot * wy + 32768u) >> 16);
            }
            fx += nStepX;
        }
    }
}

static DWORD ImgAdler(const IMAGE *pImage)
{
    DWORD s1 = 1, s2 = 0;
    int   y;
    size_t n;

    for (y = 0; y < pImage->nHeight; y++)
        for (n = 0; n < (size_t)pImage->nWidth * 4; n++)
            s2 = (s2 + (s1 = (s1 + pImage->ppLine[y][n]) % 65521u)) % 65521u;
    return (s2 << 16) | s1;
}

int main(void)
{
    IMAGE   *pScan = NULL, *pTemp = NULL, *pFinal = NULL;
    ELEMENT  elem;
    STATS    stats;
    DWORD    dwSeed = 0x1234567u;
    int      x, y, c, nPass;
    IPSTATUS st;

    memset(&stats, 0, sizeof(stats));
    if ((st = ImgCreate(&pScan, 640, 420)) != IPS_OK ||
        (st = ImgCreate(&pTemp, 640, 420)) != IPS_OK ||
        (st = ImgCreate(&pFinal, 1100, 700)) != IPS_OK)
        goto Cleanup;

    for (y = 0; y < pScan->nHeight; y++)
        for (x = 0; x < pScan->nWidth; x++)
            for (c = 0; c < 4; c++)
            {
                dwSeed = dwSeed * 1103515245u + 12345u;
                PIXEL(pScan, x, y)[c] = c == 3 ? 255 : (dwSeed >> 16) % 97u == 0 ? 250 :
                    (BYTE)(40 + ((x * (c + 1) + y * 2) >> 4) % 90 + (int)((dwSeed >> 20) & 7u));
            }

    for (nPass = 1; nPass <= 3 && st == IPS_OK; nPass++)
    {
        ElementDisc(&elem, nPass);
        if ((st = ImgMorph(pScan, pTemp, &elem, MORPH_ERODE)) != IPS_OK ||
            (st = ImgMorph(pTemp, pScan, &elem, MORPH_DILATE)) != IPS_OK)
            break;
        st = ImgEqualize(pScan, &stats);
        ImgResize(pScan, pFinal);
        printf("pass %d: element %d points, median %u, adler %08x\n",
               nPass, elem.nPoints, (unsigned)stats.bMedian, (unsigned)ImgAdler(pFinal));
    }
    printf("pixels %u, clipped low %u high %u\n", (unsigned)stats.dwPixels,
           (unsigned)stats.dwClipLow, (unsigned)stats.dwClipHigh);

Cleanup:
    ImgDestroy(pScan);
    ImgDestroy(pTemp);
    ImgDestroy(pFinal);
    return st == IPS_OK ? 0 : 1;
}
