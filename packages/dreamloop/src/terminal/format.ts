/** A duration for people: `0 s`, `37 ms`, `0.8 s`, `12 s`, `3:07 min`, `2:05:09 h`. */
export function formatDuration(seconds: number): string {
  const milliseconds = Math.round(seconds * 1000);
  if (milliseconds > 0 && milliseconds < 100) return `${milliseconds} ms`;
  if (seconds < 9.95) return `${(Math.round(seconds * 10) / 10).toString()} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const tail = String(whole % 60).padStart(2, "0");
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes}:${tail} min`;
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}:${tail} h`;
}

const BYTE_UNITS = ["B", "kB", "MB", "GB", "TB"] as const;

/** A size for people, in powers of 1,000: `812 B`, `3.4 MB`. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < BYTE_UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 || value >= 99.5 ? Math.round(value) : Number(value.toPrecision(2))} ${BYTE_UNITS[unit]}`;
}

/** A rate for people: three digits are enough. */
export function formatRate(perSecond: number): string {
  if (perSecond >= 99.5) return Math.round(perSecond).toLocaleString("en-US");
  return String(Number(perSecond.toPrecision(2)));
}

/** `1 frame`, `300 frames`. */
export function countOf(count: number, singular: string, plural = `${singular}s`): string {
  return `${count.toLocaleString("en-US")} ${count === 1 ? singular : plural}`;
}

/** Rows of text as a table without lines; the last column is not padded. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, column) => (widths[column] = Math.max(widths[column] ?? 0, cell.length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd((widths[column] ?? 0) + 2)))
        .join("")
        .trimEnd(),
    )
    .join("\n");
}

/** Lines of at most `width` characters, broken between words; a longer word has a line of its own. */
export function wrapText(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/).filter((each) => each !== "")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** A word as it can be typed into a shell: bare where that is safe, else in double quotes, or in single ones where those would not do. */
export function shellQuoted(word: string): string {
  if (/^[\w./:@%+=,-]+$/.test(word)) return word;
  return /["$`\\!]/.test(word) ? `'${word.replaceAll("'", "'\\''")}'` : `"${word}"`;
}
