/**
 * The chain of a line. Older clients wrote the lines of sub-agents into the main file, marked them `isSidechain` and
 * linked them by `parentUuid`. Beyond `MAX_LINKS` the oldest links are forgotten. No sum depends on links.
 */
import { cleanText, type Fields } from '../fields';

export type SideChainsState = [uuid: string, chain: string][];

const MAX_LINKS = 2000;

export function createSideChains(fileChain: string | null, saved: SideChainsState = []) {
  const links = new Map<string, string>(saved);
  return {
    /** Null: the main chain. */
    chainOf(line: Fields): string | null {
      if (fileChain !== null) return fileChain;
      if (line.isSidechain !== true) return null;
      const agent = cleanText(line.agentId);
      if (agent !== null) return agent;
      const uuid = cleanText(line.uuid);
      const parent = cleanText(line.parentUuid);
      const chain = (parent && links.get(parent)) ?? `sidechain-${uuid ?? parent ?? 'unknown'}`;
      if (uuid !== null) {
        links.set(uuid, chain);
        const oldest = links.size > MAX_LINKS ? links.keys().next().value : undefined;
        if (oldest !== undefined) links.delete(oldest);
      }
      return chain;
    },
    state: (): SideChainsState => [...links],
  };
}
