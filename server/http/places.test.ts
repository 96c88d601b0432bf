import { expect, it } from 'vitest';
import { createTurns } from './places';

it('lets the tasks of a caller wait for each other, and not those of another', async () => {
  const turns = createTurns(2);
  const begun: string[] = [];
  const take = async (name: string, caller: string) => {
    const end = await turns.take(caller);
    begun.push(name);
    return end;
  };
  const [first] = await Promise.all([take('a1', 'a'), take('a2', 'a')]);
  const waiting = take('a3', 'a');
  await take('b1', 'b');
  expect(begun).toEqual(['a1', 'a2', 'b1']);
  first?.();
  // The end counts once.
  first?.();
  await waiting;
  void take('a4', 'a');
  await take('b2', 'b');
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3', 'b2']);
});
