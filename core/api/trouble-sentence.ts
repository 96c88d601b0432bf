/** Why a session is marked, in one sentence with its own numbers. */

type Detail = Readonly<Record<string, unknown>>;

/** @param detail of a `thrash` or `cache_storm` event. */
export function troubleSentence(kind: 'thrash' | 'cache_storm', detail: Detail): string {
  if (kind === 'cache_storm') return stormSentence(detail);
  switch (detail.form) {
    case 'in_a_row':
      return `Compacted again with no turn in between${repeated(detail)}: the compaction freed nothing.`;
    case 'refill':
      return `Full again ${turns(detail.turns)} after its compaction${repeated(detail)}: summary and re-read files leave too little room.`;
    case 'restart_full':
      return `The first turn after the restart stood at ${tokens(detail.used)}, past the restart line at ${tokens(detail.line)}: the checkpoint brought back too much.`;
    default:
      return 'Its boundaries free too little.';
  }
}

function stormSentence({ usualShare, share, missed, of, tokens: anew }: Detail): string {
  return `Cache hits fell from ${percent(usualShare)} to ${percent(share)} of the prompt: ${count(missed)} of the last ${count(of)} calls read ${tokens(anew)} anew.`;
}

function repeated({ inARow }: Detail): string {
  return typeof inARow === 'number' && inARow > 1 ? `, ${inARow} times in a row` : '';
}

function turns(value: unknown): string {
  return value === 1 ? '1 turn' : `${count(value)} turns`;
}

/** What is no number is not told. */
function count(value: unknown): string {
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : 'some';
}

/** Exact, with narrow spaces between thousands, as on the screens. */
function tokens(value: unknown): string {
  return `${count(value).replace(/\B(?=(\d{3})+(?!\d))/g, '\u202f')} tokens`;
}

function percent(share: unknown): string {
  return typeof share === 'number' && Number.isFinite(share)
    ? `${Math.floor(share * 100)}\u00a0%`
    : 'an unknown share';
}
