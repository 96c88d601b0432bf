import type { ComparedArchive } from './compare-downloads';
import type { ReplayedSession } from './replay-session';

/** A line for each session that was compacted, each difference, and the figures of all. */
export function formatReplay(
  replayed: readonly ReplayedSession[],
  compared: readonly ComparedArchive[],
): string {
  const lines: string[] = [];
  for (const { name, hooks } of replayed) {
    const own = compared.filter(({ session }) => session === name);
    if (own.length === 0) continue;
    const same = own.filter(({ difference }) => difference === null);
    lines.push(
      `${name}: ${hooks.length} hooks, ${same.length} of ${own.length} archives identical, ${sum(same)} bytes`,
    );
  }
  for (const { session, version, agent, difference } of compared) {
    if (difference !== null)
      lines.push(`DIFFERS ${session} ${version}${agent === null ? '' : ` ${agent}`}: ${difference}`);
  }
  const same = compared.filter(({ difference }) => difference === null);
  const times = replayed
    .flatMap(({ hooks }) => hooks.map(({ milliseconds }) => milliseconds))
    .sort((a, b) => a - b);
  const at = (share: number) => Math.round(times[Math.floor(share * (times.length - 1))] ?? Number.NaN);
  const agents = same.filter(({ agent }) => agent !== null).length;
  lines.push(
    `${replayed.length} sessions, ${times.length} hooks, ${compared.length} archives (${agents} of sub-agents): ` +
      `${same.length} identical over HTTP, ${sum(same)} bytes`,
    `the hook answered in ${at(0.5)} ms in the middle, ${at(1)} ms at most`,
  );
  return lines.join('\n');
}

function sum(archives: readonly ComparedArchive[]): number {
  return archives.reduce((total, { bytes }) => total + bytes, 0);
}
