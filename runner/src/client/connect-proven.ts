/**
 * A socket to a server that has to prove first that it is the one of this machine: until then nothing is opened that
 * shows a token. Each connection asks anew, since another program may have the port by now.
 */
import { beginProof } from '../proof/prove-server';
import type { ClientSocket, Connect } from './connect-websocket';

/** As the library reports a line that was lost. */
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
      const left = outcome.type === 'unproven' ? ': it was sent nothing' : '';
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
