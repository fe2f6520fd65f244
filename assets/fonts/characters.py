"""Writes the lists of characters that the subsets keep: latin.txt, mono.txt, cjk.txt."""

LATIN = [*range(0x20, 0x7F), *range(0xA0, 0x180), *range(0x391, 0x3CA)]
SYMBOLS = (
    "→←↑↓↔⇄⏎●○◆◇▲▼▶◀■□×·…—–−≥≤≈≠²³°⁻¹⁰⁴⁵⁶⁷⁸⁹µΔσ∞∑√✓✗★☆⚠‘’“”•‹›«»€™↵↺↻⌘⇧⌃⌥"
)
MONO = [*range(0x20, 0x7F), *map(ord, "µ×·…—→←≥≤²³°│▲▼●")]
CJK_PUNCTUATION = [*range(0x3000, 0x3020), 0x30FB, *range(0xFF01, 0xFF5F), 0xFFE5]
CJK_SYMBOLS = "⏎●○◆◇▲▼▶◀■□★☆→←↑↓‘’“”…—·"


def gb2312_level_1():
    for high in range(0xB0, 0xD8):
        for low in range(0xA1, 0xFF):
            if (high, low) <= (0xD7, 0xF9):
                yield ord(bytes([high, low]).decode("gb2312"))


def texts():
    with open("src/text/keys.rs", encoding="utf-8") as table:
        return [ord(c) for c in table.read() if ord(c) > 0x7F]


def write(name, characters):
    with open(name, "w") as out:
        out.write("\n".join(f"U+{c:04X}" for c in sorted(set(characters))))


write("latin.txt", LATIN + [ord(c) for c in SYMBOLS])
write("mono.txt", MONO)
write("cjk.txt", [*gb2312_level_1(), *CJK_PUNCTUATION, *texts(), *map(ord, CJK_SYMBOLS)])
