import { clientNamed } from '@/core/agents/clients';
import type { NextBoundary } from '@/core/api/session';

/** Label of a client: `claude-code` is Claude Code; an unknown client keeps its own name. */
export function clientName(client: string | null): string {
  if (client === null || client === '') return 'Client';
  return clientNamed(client)?.label ?? client;
}

/**
 * The boundary without its place: `Codex compacts`, `Runner restarts`, `Limit reached`. At a restart line that is only a
 * setting a restart is due, and may not happen.
 */
export function boundaryTitle(
  { kind, source }: Pick<NextBoundary, 'kind' | 'source'>,
  client: string | null,
): string {
  switch (kind) {
    case 'compaction':
      return `${clientName(client)} compacts`;
    case 'restart':
      return source === 'setting' ? 'Restart due' : 'Runner restarts';
    case 'limit':
      return 'Limit reached';
  }
}

/** After an amount that is left: `until Codex compacts`, `until the restart line`, `until the limit`. */
export function untilWords(
  { kind, source }: Pick<NextBoundary, 'kind' | 'source'>,
  client: string | null,
): string {
  if (kind === 'compaction') return `until ${clientName(client)} compacts`;
  if (kind === 'limit') return 'until the limit';
  return source === 'setting' ? 'until the restart line' : 'until its runner restarts';
}

/** The same in one word, for narrow places: `compacts`, `restarts`, `limit`. */
export function boundaryWord({ kind, source }: Pick<NextBoundary, 'kind' | 'source'>): string {
  if (kind === 'restart') return source === 'setting' ? 'restart line' : 'restarts';
  return kind === 'compaction' ? 'compacts' : 'limit';
}

const SOURCE: Record<NextBoundary['source'], string> = {
  client: 'stated by the client',
  runner: 'the runner’s restart line',
  setting: 'the project’s restart line',
  learned: 'learned from earlier compactions',
  rule: 'known of this client',
  limit: 'the context window',
};

/** How the boundary's place is known, for hover. */
export function boundarySource(source: NextBoundary['source']): string {
  return SOURCE[source];
}
