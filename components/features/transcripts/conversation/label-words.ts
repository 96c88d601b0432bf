const KEPT_PARTS = 3;

/** The subject of a tool call, shortened to one line; a long path keeps its end. */
export function labelWords(label: string): string {
  if (!/^(\/|[A-Za-z]:\\|~\/)\S+$/.test(label)) return label;
  const parts = label.split(/[\\/]/).filter((part) => part !== '');
  if (parts.length <= KEPT_PARTS + 1) return label;
  return `…/${parts.slice(-KEPT_PARTS).join('/')}`;
}
