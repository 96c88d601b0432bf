/** `834 B`, `9.4 kB`, `182 kB`, `3.7 MB`, `1.24 GB`: decimal units. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes}\u00a0B`;
  if (bytes < 999_500) return `${(bytes / 1_000).toFixed(bytes < 9_950 ? 1 : 0)}\u00a0kB`;
  if (bytes < 999_500_000) return `${(bytes / 1_000_000).toFixed(bytes < 99_950_000 ? 1 : 0)}\u00a0MB`;
  return `${(bytes / 1_000_000_000).toFixed(2)}\u00a0GB`;
}
