/** Finds out whether an address is that of a pooler in transaction mode, which keeps no session for a client. */
import { randomUUID } from 'node:crypto';
import { connect, poolers } from './client';

const CHANNEL = 'barograph_pooler';
/** A pooler may have lent the same connection again by chance. */
const NOTIFICATIONS = 3;

/**
 * Listen, and notify this listener over another connection. A pooler lends a connection for one transaction only, so the
 * listener hears nothing. No time limit: PostgreSQL delivers a notification before it answers the listener's next query.
 *
 * For such an address, later clients of this process send statements without names: a pooler lends a connection that
 * does not know the names.
 * @param url of PostgreSQL or a pooler. @throws what the driver throws.
 */
export async function findPooler(url: string): Promise<boolean> {
  const payload = randomUUID();
  let heard = 0;
  const note = (_channel: string, given: string) => {
    if (given === payload) heard += 1;
  };
  const listener = connect(url, 1, { applicationName: 'barograph-listener', isPooler: true, onNotify: note });
  const notifier = connect(url, 1, { applicationName: 'barograph-notifier', isPooler: true });
  try {
    await listener.unsafe(`listen ${CHANNEL}`);
    for (let sent = 0; sent < NOTIFICATIONS; sent += 1) {
      await notifier.notify(CHANNEL, payload);
      await listener`select 1`;
    }
    if (heard === NOTIFICATIONS) return false;
    poolers.add(url);
    return true;
  } finally {
    await Promise.all([listener, notifier].map((client) => client.end({ timeout: 5 })));
  }
}
