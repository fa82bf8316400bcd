#include "textflag.h"

DATA quoteByte<>+0(SB)/1, $0x22
GLOBL quoteByte<>(SB), RODATA, $1
DATA backslashByte<>+0(SB)/1, $0x5c
GLOBL backslashByte<>(SB), RODATA, $1
DATA controlByte<>+0(SB)/1, $0x1f
GLOBL controlByte<>(SB), RODATA, $1
DATA nibbleByte<>+0(SB)/1, $0x0f
GLOBL nibbleByte<>(SB), RODATA, $1

// The letters of the short escapes are found by their two hex digits. Each first
// digit that occurs has a bit: 2 is bit 0, 5 is bit 1, 6 is bit 2, 7 is bit 3.
// highDigit maps a first digit to its bit, lowDigit maps a second digit to the
// bits of the first digits that it occurs with:
//
//	"  22   /  2f   \  5c   b  62   f  66   n  6e   r  72   t  74
DATA highDigit<>+0(SB)/8, $0x0804020000010000
DATA highDigit<>+8(SB)/8, $0x0000000000000000
GLOBL highDigit<>(SB), RODATA, $16
DATA lowDigit<>+0(SB)/8, $0x00040008000d0000
DATA lowDigit<>+8(SB)/8, $0x0104000200000000
GLOBL lowDigit<>(SB), RODATA, $16

// func indexAVX2(text *byte, n int, blocks *block, c *carry)
//
// Registers that live through the loop:
//
//	SI text   CX blocks left   DI blocks   R13 the even bits
//	R8 carry.escaped   DX carry.inString   R9 carry.suspect
//	X8 all ones        Y9-Y15 constants
TEXT ·indexAVX2(SB), NOSPLIT, $0-32
	MOVQ text+0(FP), SI
	MOVQ n+8(FP), CX
	MOVQ blocks+16(FP), DI
	MOVQ c+24(FP), AX
	MOVQ 0(AX), R8
	MOVQ 8(AX), DX
	MOVQ 16(AX), R9
	MOVQ $0x5555555555555555, R13
	VPCMPEQB X8, X8, X8
	VPXOR Y9, Y9, Y9
	VPBROADCASTB quoteByte<>(SB), Y10
	VPBROADCASTB backslashByte<>(SB), Y11
	VPBROADCASTB controlByte<>(SB), Y12
	VPBROADCASTB nibbleByte<>(SB), Y13
	VBROADCASTI128 highDigit<>(SB), Y14
	VBROADCASTI128 lowDigit<>(SB), Y15

next:
	VMOVDQU (SI), Y0
	VMOVDQU 32(SI), Y1

	// BX = backslashes, but not one that is itself escaped
	VPCMPEQB Y11, Y0, Y2
	VPCMPEQB Y11, Y1, Y3
	VPMOVMSKB Y2, BX
	VPMOVMSKB Y3, R10
	SHLQ $32, R10
	ORQ  R10, BX
	ANDNQ BX, R8, BX

	// R8 = letters after a run of backslashes of odd length, as in
	// escapedLetters; R12 = the carry to the next block
	XORL R12, R12
	LEAQ (BX)(BX*1), R10
	ANDNQ BX, R10, R10     // starts of runs
	MOVQ R10, R11
	ANDQ R13, R11          // starts at even bits
	ADDQ BX, R11           // carry to the end of their runs
	ANDNQ R11, R13, R11    // ends at odd bits
	ANDNQ R10, R13, R10    // starts at odd bits
	ADDQ BX, R10           // carry to the end of their runs
	SETCS R12              // or to the next block
	ANDQ R13, R10          // ends at even bits
	ORQ  R11, R10
	ANDNQ R10, BX, R10
	ORQ  R10, R8

	// AX = quotes that are not escaped
	VPCMPEQB Y10, Y0, Y2
	VPCMPEQB Y10, Y1, Y3
	VPMOVMSKB Y2, AX
	VPMOVMSKB Y3, R10
	SHLQ $32, R10
	ORQ  R10, AX
	ANDNQ AX, R8, AX

	// BX = bytes inside strings, from the opening quote to before the closing
	// one. A product without carries by all ones is the parity of the quotes.
	VMOVQ AX, X2
	VPCLMULQDQ $0, X8, X2, X2
	VMOVQ X2, BX
	XORQ DX, BX
	MOVQ BX, DX
	SARQ $63, DX

	// AX = quotes that end a string
	ANDNQ AX, BX, AX
	MOVQ AX, 0(DI)

	// R11 = letters of escapes that are not short. The shuffle takes the low
	// digit of a byte by itself, and gives zero for bytes above 0x7f.
	VPSRLW $4, Y0, Y2
	VPSRLW $4, Y1, Y3
	VPAND  Y13, Y2, Y2
	VPAND  Y13, Y3, Y3
	VPSHUFB Y2, Y14, Y2
	VPSHUFB Y3, Y14, Y3
	VPSHUFB Y0, Y15, Y4
	VPSHUFB Y1, Y15, Y5
	VPAND  Y4, Y2, Y2
	VPAND  Y5, Y3, Y3
	VPCMPEQB Y9, Y2, Y2
	VPCMPEQB Y9, Y3, Y3
	VPMOVMSKB Y2, R11
	VPMOVMSKB Y3, R10
	SHLQ $32, R10
	ORQ  R10, R11
	ANDQ R8, R11
	MOVQ R12, R8

	// Control characters, the bytes that are their own minimum with 0x1f, are
	// rare: one test for both halves.
	VPMINUB Y1, Y0, Y2
	VPMINUB Y12, Y2, Y3
	VPCMPEQB Y2, Y3, Y3
	VPMOVMSKB Y3, R10
	TESTL R10, R10
	JNZ  control

store:
	ANDQ BX, R11
	MOVQ R11, 8(DI)
	ORQ  R11, R9

	ADDQ $64, SI
	ADDQ $16, DI
	DECQ CX
	JNZ  next

	VZEROUPPER
	MOVQ c+24(FP), AX
	MOVQ R8, 0(AX)
	MOVQ DX, 8(AX)
	MOVQ R9, 16(AX)
	RET

control:
	// R11 gets the control characters too
	VPMINUB Y12, Y0, Y2
	VPMINUB Y12, Y1, Y3
	VPCMPEQB Y0, Y2, Y2
	VPCMPEQB Y1, Y3, Y3
	VPMOVMSKB Y2, AX
	VPMOVMSKB Y3, R10
	SHLQ $32, R10
	ORQ  R10, AX
	ORQ  AX, R11
	JMP  store
