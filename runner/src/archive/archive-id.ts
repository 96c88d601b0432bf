import { createHash } from 'node:crypto';

/**
 * Id of an archive that several may come to make, the same for all of them. A UUID of version 8: its bits are a hash.
 * @param what is archived: the compaction's own id, or what else tells it from all others of the session.
 */
export function archiveIdOf(project: string, session: string, what: string): string {
  const text = JSON.stringify(['completed', project, session, what]);
  const hex = createHash('sha256').update(text).digest('hex');
  const variant = ((Number.parseInt(hex[16] ?? '0', 16) & 0x3) | 0x8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    variant + hex.slice(17, 20),
    hex.slice(20, 32),
  ].join('-');
}
