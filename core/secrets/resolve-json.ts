/** A piece of a JSON string as the string holds it: one depth of escapes, and no more. What is none stays as it is. */
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
