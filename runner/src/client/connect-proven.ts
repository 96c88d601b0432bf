/**
 * A socket to a server that must prove first that it is the one of this machine; the token is sent only afterwards. Each
 * connection is proven, since another program may take the port.
 */
import { beginProof } from '../proof/prove-server';
import type { ClientSocket, Connect } from './connect-websocket';

/** The library's code for a lost connection. */
const LOST = 1006;

export function connectProven(secret: string, connect: Connect): Connect {
  return (target, handlers) => {
    let socket: ClientSocket | null = null;
    let isAlive = true;
    let isOver = false;
    const proof = beginProof(target.url, secret);
    void proof.result.then((outcome) => {
      if (isOver) return;
      if (outcome.type === 'proven') {
        socket = connect(target, handlers);
        socket.keepAlive(isAlive);
        return;
      }
      isOver = true;
      const left = outcome.type === 'unproven' ? ': nothing was sent' : '';
      handlers.onClose(LOST, `${outcome.reason}${left}`);
    });
    return {
      send: (text) => socket?.send(text),
      drop: () => {
        isOver = true;
        proof.drop();
        socket?.drop();
      },
      keepAlive: (on) => {
        isAlive = on;
        if (socket === null) proof.keepAlive(on);
        else socket.keepAlive(on);
      },
    };
  };
}
