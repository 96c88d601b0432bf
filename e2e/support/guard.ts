/**
 * Watch a page for console errors, breaches of the content security policy, uncaught exceptions and requests to other
 * hosts. A test allows the problems that it provokes.
 */
import type { BrowserContext, ConsoleMessage, Request } from '@playwright/test';

/** Advice of Chromium about speed or future versions, which is no fault of a page. */
const ADVICE =
  /was preloaded using link preload but not used|\[Violation\]|\[Intervention\]|\[Deprecation\]|Third-party cookie|GPU stall|Slow network/;

const POLICY_REPORT = 'Content security policy violated:';

/** Browser messages about a server that is stopped or starting. */
export const SERVER_AWAY =
  /WebSocket connection to|net::ERR_(CONNECTION_|SOCKET_|EMPTY_RESPONSE|INCOMPLETE_|CONTENT_LENGTH_)|503 \(Service Unavailable\)|MIME type \('application\/json'\) is not executable/;

export class Guard {
  readonly problems: string[] = [];
  /** Bodies of failed requests by address. */
  private readonly answers = new Map<string, Promise<string>>();
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
    context.on('response', (response) => {
      if (response.status() < 400) return;
      const answer = response.text().catch((error: unknown) => `not readable: ${String(error)}`);
      this.answers.set(response.url(), answer);
    });
    context.on('weberror', (error) => this.note(`uncaught: ${String(error.error())}`));
    context.on('request', (request) => this.look(request));
  }

  /** The problems, each with the body of the answer that it names. */
  async explain(): Promise<string[]> {
    const entries = [...this.answers].map(
      async ([url, answer]) => [url, (await answer).slice(0, 500)] as const,
    );
    const bodies = await Promise.all(entries);
    return this.problems.map((problem) => {
      const body = bodies.find(([url]) => problem.includes(`(${url})`));
      return body === undefined ? problem : `${problem}\n  answer: ${body[1]}`;
    });
  }

  private hear(message: ConsoleMessage): void {
    if (!['error', 'warning', 'assert'].includes(message.type())) return;
    if (message.type() === 'warning' && ADVICE.test(message.text())) return;
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
