/** Tasks that misbehave as the input requests. An endless task sleeps, so that it does not slow down other tests. */
function run(input) {
  const { phrase = [] } = input ?? {};
  const [behaviour] = phrase.length > 0 ? phrase : [typeof input === 'string' ? input : 'none'];
  if (behaviour === 'endless') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  if (behaviour === 'hungry') {
    const all = [];
    for (;;) all.push(new Array(10_000).fill(1));
  }
  if (behaviour === 'broken') throw new Error('it is broken');
  return [];
}

export const search = run;
export const read = run;
