/** Deliveries as a flat list of items on their way, each with the keys it will be known by. */
import type { Item } from '../../core/protocol/items';
import type { ClockJudgement } from '../codes/turn-bits';
import { isCallItem } from './call-facts';
import { callKey, hashItem } from './hash-item';
import { nameOf } from './known-names';
import type { Delivery, OpenStream } from './types';

export interface Arrival {
  /** Where its outcome goes. */
  delivery: number;
  index: number;
  stream: OpenStream;
  item: Item;
  /** Server's time, milliseconds. */
  receivedAt: number;
  clock: ClockJudgement;
  /** Project and session key, as known names are kept. */
  sessionName: string;
  hash: string;
  /** For turns and readings. */
  callKey: string | null;
}

export function listArrivals(deliveries: readonly Delivery[]): Arrival[] {
  return deliveries.flatMap((delivery, deliveryIndex) => {
    const { stream } = delivery;
    const clock = delivery.clockAgrees ? 'right' : 'unsaid';
    return delivery.items.map((sent, index): Arrival => {
      const { item, hash } = hashItem(sent);
      return {
        delivery: deliveryIndex,
        index,
        stream,
        item,
        receivedAt: delivery.receivedAt,
        clock,
        sessionName: nameOf({ projectId: stream.projectId, key: item.session }),
        hash,
        callKey: isCallItem(item) ? callKey(item.call, item.type, stream.stream, item.seq) : null,
      };
    });
  });
}

export function deliveryKey(streamId: number, seq: number): string {
  return `${streamId}:${seq}`;
}
