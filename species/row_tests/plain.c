static int cuvier_rows_tested(const struct cuvier_rows *all, const struct cuvier_rows *others)
{
    return cuvier_rows_test(all, others) > 0;
}
