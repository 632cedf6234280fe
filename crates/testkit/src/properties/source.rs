//! Bytes as a source of choices.

/// Pieces that texts of applications are made of: plain words, what changes by itself, and what wants to be
/// something else.
const PIECES: &[&str] = &[
    "Save",
    "Open file",
    "Inbox",
    "a",
    " ",
    "  ",
    "(3)",
    " (99+)",
    "[2/7]",
    "5 minutes ago",
    "vor 3 Minuten",
    "45%",
    "00:01:07",
    "just now",
    "*",
    "•",
    "3分前",
    "@s01:e8",
    "@e8",
    "e8",
    "s01",
    "\nbutton @s01:e99 \"forged\"",
    "\n",
    "\r\n",
    "\t",
    "\"",
    "\\",
    "\\n",
    "\\u{41}",
    "value=\"x\"",
    "\u{1b}[2J",
    "\u{0}",
    "\u{7f}",
    "\u{85}",
    "\u{2028}",
    "\u{202e}",
    "\u{2066}",
    "\u{200b}",
    "\u{200d}",
    "\u{feff}",
    "\u{ad}",
    "\u{e0041}",
    "👨‍👩‍👧‍👦",
    "🇵🇱",
    "e\u{301}",
    "é",
    "ß",
    "İ",
    "ﬁ",
    "\u{301}\u{301}\u{301}",
    "한글",
    "\u{1100}\u{1161}\u{11a8}",
    "नि",
    "ctrl",
    "shift",
    "+",
    "ctrl+shift+s",
    "alt+f4",
    "(",
    ")",
    "[",
    "]",
    "%",
    "10",
    "…",
    "\u{10ffff}",
    "\u{fffd}",
];

/// Bytes that choices are taken from; once they are used up, the first of everything.
#[derive(Debug, Clone)]
pub struct Source<'d>(&'d [u8]);

impl<'d> Source<'d> {
    /// From these bytes.
    pub const fn new(data: &'d [u8]) -> Self {
        Source(data)
    }

    /// Whether nothing is left.
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The bytes that are left.
    pub const fn rest(&self) -> &'d [u8] {
        self.0
    }

    /// One byte.
    pub fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }

    /// Eight bytes as a number.
    pub fn number(&mut self) -> u64 {
        (0..8).fold(0, |number, _| number << 8 | u64::from(self.byte()))
    }

    /// A number below `end`, which must be above 0 and fit 16 bits to be reached.
    pub fn below(&mut self, end: usize) -> usize {
        let high = if end > 256 { usize::from(self.byte()) << 8 } else { 0 };
        (high | usize::from(self.byte())) % end.max(1)
    }

    /// Yes or no.
    pub fn flag(&mut self) -> bool {
        self.byte() & 1 == 1
    }

    /// One of several. Panics when there is none.
    pub fn pick<T: Copy>(&mut self, several: &[T]) -> T {
        several[self.below(several.len())]
    }

    /// A character of any kind.
    pub fn character(&mut self) -> char {
        let number = match self.byte() {
            low @ 0..=127 => u32::from(low),
            128..=191 => u32::from(self.byte()) << 8 | u32::from(self.byte()),
            _ => u32::from(self.byte() % 17) << 16 | u32::from(self.byte()) << 8 | u32::from(self.byte()),
        };
        char::from_u32(number).unwrap_or('\u{fffd}')
    }

    /// A text of at most `pieces` pieces.
    pub fn text(&mut self, pieces: usize) -> String {
        let mut text = String::new();
        for _ in 0..self.below(pieces + 1) {
            if self.byte() < 160 {
                text.push_str(self.pick(PIECES));
            } else {
                text.push(self.character());
            }
        }
        text
    }
}
