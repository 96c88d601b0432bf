const KEPT_PARTS = 3;

/** What a tool call is about, in the width of a line: of a long path its end, which tells files apart. */
export function labelWords(label: string): string {
  if (!/^(\/|[A-Za-z]:\\|~\/)\S+$/.test(label)) return label;
  const parts = label.split(/[\\/]/).filter((part) => part !== '');
  if (parts.length <= KEPT_PARTS + 1) return label;
  return `…/${parts.slice(-KEPT_PARTS).join('/')}`;
}
