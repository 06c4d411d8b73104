/* A number of so many bytes, `size`, which is negative where it has no sign.  Its type may be any of that size. */
static inline long long cuvier_number(const char *at, long size)
{
    signed char byte;
    short half;
    int word;
    long long whole;
    switch (size) {
    case 1:
    case -1:
        __builtin_memcpy(&byte, at, sizeof byte);
        return size > 0 ? byte : (unsigned char)byte;
    case 2:
    case -2:
        __builtin_memcpy(&half, at, sizeof half);
        return size > 0 ? half : (unsigned short)half;
    case 4:
    case -4:
        __builtin_memcpy(&word, at, sizeof word);
        return size > 0 ? (long long)word : (long long)(unsigned)word;
    default:
        __builtin_memcpy(&whole, at, sizeof whole);
        return whole;
    }
}
