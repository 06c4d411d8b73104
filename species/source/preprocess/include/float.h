#ifndef CUVIER_FLOAT_H
#define CUVIER_FLOAT_H
#define FLT_RADIX 2
#define FLT_MANT_DIG 24
#define FLT_DIG 6
#define FLT_MIN_EXP (-125)
#define FLT_MAX_EXP 128
#define FLT_MIN 0x1p-126f
#define FLT_MAX 0x1.fffffep127f
#define FLT_EPSILON 0x1p-23f
#define DBL_MANT_DIG 53
#define DBL_DIG 15
#define DBL_MIN_EXP (-1021)
#define DBL_MAX_EXP 1024
#define DBL_MAX_10_EXP 308
#define DBL_MIN_10_EXP (-307)
#define DBL_MIN 0x1p-1022
#define DBL_MAX 0x1.fffffffffffffp1023
#define DBL_EPSILON 0x1p-52
#define LDBL_MANT_DIG 64
#define LDBL_DIG 18
#define LDBL_MAX 0x1.fffffffffffffffep16383L
#define LDBL_EPSILON 0x1p-63L
#define FLT_EVAL_METHOD 0
#define DECIMAL_DIG 21
#endif
