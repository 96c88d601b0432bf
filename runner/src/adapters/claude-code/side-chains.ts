/**
 * Which chain a line belongs to. Sub-agents have files of their own whose lines name the agent; older
 * clients wrote them into the main file, marked `isSidechain` and linked by `parentUuid` alone.
 *
 * It owns the links of such nameless lines. It trades the exact chain of a very old branch for bounded
 * memory: beyond `MAX_LINKS` the oldest links are forgotten, and a line that hangs on one starts a
 * chain of its own. No sum depends on it.
 */
import { type Fields, textOf } from './read-fields';

export interface SideChains {
  /** Null: the main chain. */
  chainOf(line: Fields): string | null;
  state(): SideChainsState;
}

export type SideChainsState = [uuid: string, chain: string][];

const MAX_LINKS = 2000;

export function createSideChains(fileChain: string | null, saved: SideChainsState = []): SideChains {
  const links = new Map<string, string>(saved);
  return {
    chainOf(line) {
      if (fileChain !== null) return fileChain;
      if (line.isSidechain !== true) return null;
      const agent = textOf(line, 'agentId');
      if (agent !== undefined) return agent;
      const uuid = textOf(line, 'uuid');
      const parent = textOf(line, 'parentUuid');
      const chain = (parent && links.get(parent)) ?? `sidechain-${uuid ?? parent ?? 'unknown'}`;
      if (uuid !== undefined) {
        links.set(uuid, chain);
        const oldest = links.size > MAX_LINKS ? links.keys().next().value : undefined;
        if (oldest !== undefined) links.delete(oldest);
      }
      return chain;
    },
    state: () => [...links],
  };
}

/**
 * Requests the client makes for itself with the whole history: they are side calls of a chain of their
 * own, and what they read is not that chain's context.
 */
export function scopeOf(chain: string | null): 'main' | 'side' {
  return chain !== null && /^a(compact|prompt_suggestion|side_question)-/.test(chain) ? 'side' : 'main';
}
