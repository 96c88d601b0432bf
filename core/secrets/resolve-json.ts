/** Resolve one level of JSON escapes; invalid escapes are kept. */
export function resolveJsonEscapes(piece: string): string {
  return piece.replace(
    /\\(?:u([0-9a-fA-F]{4})|(["\\/nrtbf]))/g,
    (whole, digits?: string, letter?: string) => {
      if (digits !== undefined) return String.fromCharCode(Number.parseInt(digits, 16));
      return letter === undefined ? whole : (LETTERS[letter] ?? letter);
    },
  );
}

const LETTERS: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };
