/**
 * One browser that watches the fleet. Owns the ids of rows that must still be sent. A row is read when it is sent, so
 * a slow browser costs at most one id per session and always gets the newest row.
 */
import type { FleetCounts } from '../../core/live/protocol';
import type { FrameSender } from './frame-sender';

export interface FleetRow {
  id: string;
  version: number;
  json: string;
  /** When the row changes by time alone, milliseconds since the epoch; null: never. */
  staleAt: number | null;
}

export interface FleetCopy {
  /** In order of activity, the most recent last. */
  rows: ReadonlyMap<string, FleetRow>;
  counts(): FleetCounts;
}

export type FleetReader = ReturnType<typeof createFleetReader>;

export function createFleetReader(sender: FrameSender, copy: FleetCopy, partSize: number) {
  /** `parts`: some parts of a snapshot are not sent yet. `behind`: a snapshot follows once the browser has caught up. */
  let state: 'new' | 'following' | 'parts' | 'behind' | 'left' = 'new';
  let pending = new Set<string>();
  const removed = new Set<string>();

  function onceCaughtUp(task: () => void): void {
    sender.whenCaughtUp(() => {
      if (state !== 'left') task();
    });
  }

  function beginOnceCaughtUp(): void {
    state = 'behind';
    onceCaughtUp(begin);
  }

  /** Begin a fresh snapshot: the first part now, the rest as deltas. */
  function begin(): void {
    const ids = [...copy.rows.keys()].reverse();
    pending = new Set(ids.slice(partSize));
    removed.clear();
    sender.send(`"type":"fleet_snapshot","sessions":[${jsonOf(ids.slice(0, partSize))}],${tail()}`);
    sendParts(false);
  }

  /** Send pending rows until the browser falls behind, and continue once it has caught up. */
  function sendParts(atLeastOne: boolean): void {
    let owed = atLeastOne;
    while (owed || pending.size > 0 || removed.size > 0) {
      if (sender.isBehind()) {
        state = 'parts';
        onceCaughtUp(() => sendParts(false));
        return;
      }
      const ids = [...pending].slice(0, partSize);
      const gone = JSON.stringify([...removed]);
      for (const id of ids) pending.delete(id);
      removed.clear();
      sender.send(`"type":"fleet_delta","changed":[${jsonOf(ids)}],"removed":${gone},${tail()}`);
      owed = false;
    }
    state = 'following';
  }

  function jsonOf(ids: readonly string[]): string {
    return ids.flatMap((id) => copy.rows.get(id)?.json ?? []).join(',');
  }

  function tail(): string {
    return `"counts":${JSON.stringify(copy.counts())},"total":${copy.rows.size}`;
  }

  return {
    /**
     * Send changed rows; null: the session is gone. The first call sends a snapshot.
     * @param withCounts whether the counts changed too
     */
    serve(changed: ReadonlyMap<string, FleetRow | null>, withCounts: boolean): void {
      if (state === 'new') {
        beginOnceCaughtUp();
        return;
      }
      if (state === 'behind' || state === 'left') return;
      for (const [id, row] of changed) {
        pending.delete(id);
        removed.delete(id);
        (row ? pending : removed).add(id);
      }
      if (state === 'parts') return;
      if (pending.size === 0 && removed.size === 0 && !withCounts) return;
      if (!sender.isBehind()) {
        sendParts(true);
        return;
      }
      beginOnceCaughtUp();
    },
    leave(): void {
      state = 'left';
    },
  };
}
