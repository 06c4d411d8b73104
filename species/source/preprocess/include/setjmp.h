#ifndef CUVIER_SETJMP_H
#define CUVIER_SETJMP_H
typedef struct { long saved[32]; } jmp_buf[1];
int setjmp(jmp_buf);
void longjmp(jmp_buf, int) __attribute__((noreturn));
#endif
