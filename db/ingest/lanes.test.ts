import { describe, expect, it } from 'vitest';
import { fc, propertyRuns } from '../../core/testing/property-runs';
import { splitLanes } from './record-deliveries';

const runs = propertyRuns();

const arrivals = (pairs: readonly (readonly [stream: number, session: number])[]) =>
  pairs.map(([streamId, session], index) => ({ streamId, publicId: `s${session}`, seq: index }));

const byName = (name: string) => name;

describe('lanes of a batch', () => {
  it('share no stream or session, lose nothing, and keep the order of arrival', () => {
    const pair = fc.tuple(fc.nat(30), fc.nat(40));
    fc.assert(
      fc.property(fc.array(pair, { minLength: 500, maxLength: 1_200 }), (pairs) => {
        const all = arrivals(pairs);
        const lanes = splitLanes(all, byName);
        expect(lanes.flat().length).toBe(all.length);
        const owner = new Map<string, number>();
        lanes.forEach((lane, index) => {
          for (const { streamId, publicId } of lane) {
            for (const name of [`stream ${streamId}`, publicId]) {
              expect(owner.get(name) ?? index).toBe(index);
              owner.set(name, index);
            }
          }
        });
        for (const lane of lanes) {
          for (const streamId of new Set(lane.map((each) => each.streamId))) {
            const seqs = lane.filter((each) => each.streamId === streamId).map(({ seq }) => seq);
            expect(seqs).toEqual([...seqs].sort((a, b) => a - b));
          }
        }
      }),
      runs(30),
    );
  });

  it('share the work when runners have separate sessions', () => {
    const pairs = Array.from({ length: 900 }, (_, index) => [index % 90, index % 90] as const);
    expect(splitLanes(arrivals(pairs), byName).map((lane) => lane.length)).toEqual([300, 300, 300]);
  });

  it('are merged for a small batch, and for sessions with the same adopter', () => {
    expect(
      splitLanes(
        arrivals([
          [1, 1],
          [2, 2],
        ]),
        byName,
      ),
    ).toHaveLength(1);
    const pairs = Array.from({ length: 900 }, (_, index) => [index % 90, index % 90] as const);
    expect(splitLanes(arrivals(pairs), () => 'adopted')).toHaveLength(1);
  });
});
