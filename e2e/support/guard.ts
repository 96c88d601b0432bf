/**
 * Watch a page for console errors, breaches of the content security policy, uncaught exceptions and requests to other
 * hosts. A test allows the problems that it provokes.
 */
import type { BrowserContext, ConsoleMessage, Request } from '@playwright/test';

const POLICY_REPORT = 'Content security policy violated:';

/** Browser messages about a server that is stopped or starting. */
export const SERVER_AWAY =
  /WebSocket connection to|net::ERR_(CONNECTION_|SOCKET_|EMPTY_RESPONSE|INCOMPLETE_|CONTENT_LENGTH_)|503 \(Service Unavailable\)|MIME type \('application\/json'\) is not executable/;

export class Guard {
  readonly problems: string[] = [];
  private readonly allowed: RegExp[] = [];
  private isResting = false;

  /** Ignore matching problems from now on. */
  allow(pattern: RegExp): void {
    this.allowed.push(pattern);
  }

  /** Ignore all problems from now on. */
  rest(): void {
    this.isResting = true;
  }

  async watch(context: BrowserContext): Promise<void> {
    await context.addInitScript((report) => {
      document.addEventListener('securitypolicyviolation', (event) => {
        console.error(report, event.violatedDirective, event.blockedURI, event.sourceFile, event.lineNumber);
      });
    }, POLICY_REPORT);
    context.on('console', (message) => this.hear(message));
    context.on('weberror', (error) => this.note(`uncaught: ${String(error.error())}`));
    context.on('request', (request) => this.look(request));
  }

  private hear(message: ConsoleMessage): void {
    if (!['error', 'warning', 'assert'].includes(message.type())) return;
    this.note(`console ${message.type()}: ${message.text()} (${message.location().url})`);
  }

  private look(request: Request): void {
    const { protocol, hostname } = new URL(request.url());
    // Passkeys need a name, so servers with accounts are opened as localhost.
    if (protocol === 'data:' || protocol === 'blob:' || /^(127\.0\.0\.1|localhost)$/.test(hostname)) return;
    this.note(`request to another host: ${request.url()}`);
  }

  private note(problem: string): void {
    if (this.isResting) return;
    if (!this.allowed.some((pattern) => pattern.test(problem))) this.problems.push(problem);
  }
}
