/** Parts of a path of either kind of system. */
export function pathParts(path: string): string[] {
  return path.split(path.includes('/') ? '/' : '\\').filter(Boolean);
}

export function baseName(path: string): string {
  return path.split(/[\\/]/).filter(Boolean).at(-1) ?? '';
}
