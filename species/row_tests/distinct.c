/* Are `count` numbers, `stride` bytes apart, distinct?  Those that ascend, or descend, are.  Others are marked in a */
/* set of bits from the least to the greatest; where that would be far longer than the numbers, they count as equal. */
static int cuvier_distinct(const void *numbers, long stride, long size, long count)
{
    const char *at = (const char *)numbers;
    long long least, greatest, last, number;
    unsigned long long cells;
    unsigned char *marks;
    long k, up = 1, down = 1, different = 1;
    if (count < 2)
        return 1;
    least = greatest = last = cuvier_number(at, size);
    for (k = 1; k < count; k++) {
        number = cuvier_number(at + k * stride, size);
        up &= number > last;
        down &= number < last;
        least = number < least ? number : least;
        greatest = number > greatest ? number : greatest;
        last = number;
    }
    if (up || down)
        return 1;
    cells = (unsigned long long)greatest - (unsigned long long)least;
    if (cells / 128 >= (unsigned long long)count || cells < (unsigned long long)count - 1)
        return 0;
    marks = (unsigned char *)__builtin_calloc((__SIZE_TYPE__)(cells / 8 + 1), 1);
    for (k = 0; marks && different && k < count; k++) {
        unsigned long long cell = (unsigned long long)cuvier_number(at + k * stride, size) - (unsigned long long)least;
        different = !(marks[cell / 8] >> cell % 8 & 1);
        marks[cell / 8] |= (unsigned char)(1u << cell % 8);
    }
    different = different && marks;
    __builtin_free(marks);
    return (int)different;
}
