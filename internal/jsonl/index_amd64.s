#include "go_asm.h"
#include "textflag.h"

DATA spaceByte<>+0(SB)/1, $0x20
GLOBL spaceByte<>(SB), RODATA, $1
DATA quoteByte<>+0(SB)/1, $0x22
GLOBL quoteByte<>(SB), RODATA, $1
DATA backslashByte<>+0(SB)/1, $0x5c
GLOBL backslashByte<>(SB), RODATA, $1
DATA controlByte<>+0(SB)/1, $0x1f
GLOBL controlByte<>(SB), RODATA, $1

// usualLetter has, at the low digit of each letter that is usual after a
// backslash, that letter: r 72, t 74, f 66, \ 5c, n 6e, / 2f. The quote and the b
// share their digit with r. Quotes are known anyway, and \b is too rare to matter.
DATA usualLetter<>+0(SB)/8, $0xff66ff74ff72ffff
DATA usualLetter<>+8(SB)/8, $0x2f6eff5cffffffff
GLOBL usualLetter<>(SB), RODATA, $16

// func indexAVX2(text *byte, n, tail int, w *window)
//
// Registers that live through the loop:
//
//	SI text, less one   R14 offset of the block, plus one   CX blocks left
//	DI w   R15 where the next end goes   R9 where there is no room for more
//	R8 window.escaped   DX window.inString   R13 the odd bits
//	X8 all ones   Y10-Y12, Y15 constants
TEXT ·indexAVX2(SB), NOSPLIT, $128-32
	MOVQ text+0(FP), SI
	MOVQ n+8(FP), CX
	MOVQ w+24(FP), DI
	MOVQ window_escaped(DI), R8
	MOVQ window_inString(DI), DX
	MOVQ $0, window_suspects(DI)
	LEAQ window_ends(DI), R15
	LEAQ (const_fullEnds*2)(R15), R9
	DECQ SI
	MOVQ $1, R14
	MOVQ $0xaaaaaaaaaaaaaaaa, R13
	VPCMPEQB X8, X8, X8
	VPBROADCASTB quoteByte<>(SB), Y10
	VPBROADCASTB backslashByte<>(SB), Y11
	VPBROADCASTB controlByte<>(SB), Y12
	VBROADCASTI128 usualLetter<>(SB), Y15
	TESTQ CX, CX
	JZ   tail

next:
	VMOVDQU (SI)(R14*1), Y0
	VMOVDQU 32(SI)(R14*1), Y1

	// R8 = escaped bytes, as in escapedBytes; R12 = the carry to the next block
	VPCMPEQB Y11, Y0, Y2
	VPCMPEQB Y11, Y1, Y3
	VPMOVMSKB Y2, BX
	VPMOVMSKB Y3, R10
	SHLQ $32, R10
	ORQ  R10, BX
	ANDNQ BX, R8, BX       // backslashes, but not one that is itself escaped
	LEAQ (BX)(BX*1), R12
	ORQ  R13, R12
	SUBQ BX, R12
	XORQ R13, R12          // backslashes that escape, and what is escaped after a run
	ORQ  BX, R8
	XORQ R12, R8
	ANDQ BX, R12
	SHRQ $63, R12

	// AX = quotes that are not escaped, R11 = all quotes
	VPCMPEQB Y10, Y0, Y2
	VPCMPEQB Y10, Y1, Y3
	VPMOVMSKB Y2, R11
	VPMOVMSKB Y3, R10
	SHLQ $32, R10
	ORQ  R10, R11
	ANDNQ R11, R8, AX

	// BX = bytes inside strings, from the opening quote to before the closing
	// one. A product without carries by all ones is the parity of the quotes.
	VMOVQ AX, X2
	VPCLMULQDQ $0, X8, X2, X2
	VMOVQ X2, BX
	XORQ DX, BX
	MOVQ BX, DX
	SARQ $63, DX

	// R8 = letters of escapes that are not usual. The shuffle takes the low
	// digit of a byte by itself, and gives zero for bytes above 0x7f.
	VPSHUFB Y0, Y15, Y4
	VPSHUFB Y1, Y15, Y5
	VPCMPEQB Y0, Y4, Y4
	VPCMPEQB Y1, Y5, Y5
	ANDNQ R8, R11, R8
	VPMOVMSKB Y4, R11
	VPMOVMSKB Y5, R10
	SHLQ $32, R10
	ORQ  R10, R11
	ANDNQ R8, R11, R8

	// Control characters, the bytes that are their own minimum with 0x1f, are
	// rare: one test for both halves.
	VPMINUB Y1, Y0, Y2
	VPMINUB Y12, Y2, Y3
	VPCMPEQB Y2, Y3, Y3
	VPMOVMSKB Y3, R10
	TESTL R10, R10
	JNZ  control

checked:
	ANDQ BX, R8
	JNZ  suspect

clean:
	MOVQ R12, R8
	ANDNQ AX, BX, AX       // quotes that end a string
	JZ   ended

	// Four offsets are written whether there are so many or not: that costs
	// less than a branch for each.
	POPCNTQ AX, R10
	LEAQ (R15)(R10*2), R10 // where the ends of the next block go
	TZCNTQ AX, R11
	BLSRQ AX, AX
	ADDL R14, R11
	MOVW R11, 0(R15)
	TZCNTQ AX, R11
	BLSRQ AX, AX
	ADDL R14, R11
	MOVW R11, 2(R15)
	TZCNTQ AX, R11
	BLSRQ AX, AX
	ADDL R14, R11
	MOVW R11, 4(R15)
	TZCNTQ AX, R11
	ADDL R14, R11
	MOVW R11, 6(R15)
	BLSRQ AX, AX
	JZ   written
	ADDQ $8, R15

more:
	TZCNTQ AX, R11
	ADDL R14, R11
	MOVW R11, 0(R15)
	ADDQ $2, R15
	BLSRQ AX, AX
	JNZ  more

written:
	MOVQ R10, R15
	CMPQ R15, R9
	JAE  full

ended:
	ADDQ $64, R14
	DECQ CX
	JGT  next

tail:
	// The last 64 bytes of the text are put in front of 64 spaces, to read the
	// tail as a block that spaces fill up.
	MOVQ tail+16(FP), AX
	TESTQ AX, AX
	JZ   done
	MOVQ $0, tail+16(FP)
	ADDQ R14, SI
	ADDQ AX, SI
	VMOVDQU -64(SI), Y0
	VMOVDQU -32(SI), Y1
	VPBROADCASTB spaceByte<>(SB), Y2
	VMOVDQU Y0, last-128(SP)
	VMOVDQU Y1, last-96(SP)
	VMOVDQU Y2, last-64(SP)
	VMOVDQU Y2, last-32(SP)
	LEAQ last-64(SP), SI
	SUBQ AX, SI
	SUBQ R14, SI
	XORL CX, CX
	JMP  next

full:
	ADDQ $64, R14

done:
	VZEROUPPER
	MOVQ R8, window_escaped(DI)
	MOVQ DX, window_inString(DI)
	SHRQ $6, R14
	MOVQ R14, window_blocks(DI)
	SUBQ DI, R15
	SUBQ $window_ends, R15
	SHRQ $1, R15
	MOVQ R15, window_count(DI)
	RET

control:
	// R8 gets the control characters too
	VPMINUB Y12, Y0, Y2
	VPMINUB Y12, Y1, Y3
	VPCMPEQB Y0, Y2, Y2
	VPCMPEQB Y1, Y3, Y3
	VPMOVMSKB Y2, R11
	VPMOVMSKB Y3, R10
	SHLQ $32, R10
	ORQ  R10, R11
	ORQ  R11, R8
	JMP  checked

suspect:
	MOVQ R14, R11
	SHRQ $6, R11           // number of the block
	MOVQ R8, window_suspect(DI)(R11*8)
	BTSQ R11, window_suspects(DI)
	JMP  clean
