/** A WebSocket that a test drives by hand. */
export class TestSocket {
  readonly OPEN = 1;
  readyState = 0;
  readonly sent: unknown[] = [];
  isClosed = false;
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: string }) => void) | null = null;
  onclose: (() => void) | null = null;
  private n = 0;

  open(): void {
    this.readyState = this.OPEN;
    this.onopen?.();
  }
  /** Delivers a frame with the next number. */
  deliver(frame: object): void {
    this.n += 1;
    this.onmessage?.({ data: JSON.stringify({ n: this.n, epoch: 'e', now: Date.now(), ...frame }) });
  }
  send(text: string): void {
    this.sent.push(JSON.parse(text));
  }
  close(): void {
    this.isClosed = true;
  }
}

/** Opens sockets for a connection, the newest last in `sockets`. */
export function testSockets() {
  const sockets: TestSocket[] = [];
  const open = () => {
    const socket = new TestSocket();
    sockets.push(socket);
    return socket as unknown as WebSocket;
  };
  return { sockets, open };
}
