import { PATH, Program } from '../support/program';
import type { Conversation } from './terminal';

/** A client with one process for each prompt. */
export interface PromptClient {
  /**
   * Run one prompt, or compact a session: `/compact`.
   * @param parent the session to resume or to fork
   * @returns the client's id of the session
   * @throws Error if the client fails
   */
  run(prompt: string, ...parent: Parent): Promise<string>;
  /** End the processes that a failed scenario left. */
  stop(): void;
}

export type Parent = ['resume' | 'fork', string] | [];
export const COMPACT = '/compact';

export interface AgentOptions {
  /** HOME and working folder of the client. */
  home: string;
  work: string;
  /** Path of the client's program. */
  program: string;
  modelUrl: string;
  environment: Record<string, string>;
}

/** A real agent without access to other machines. */
export abstract class RealAgent<Options extends AgentOptions = AgentOptions> implements PromptClient {
  /** The whole environment of the client. */
  readonly variables: Record<string, string>;
  private readonly started = new Set<{ kill(): unknown }>();

  /** @param own the client's own environment variables */
  constructor(
    readonly options: Options,
    own: Record<string, string> = {},
  ) {
    const base = { PATH, HOME: options.home, LANG: 'C.UTF-8', TERM: 'xterm-256color' };
    // No proxy listens on this port, so every request to another machine fails.
    const proxy = { HTTPS_PROXY: 'http://127.0.0.1:9', NO_PROXY: '127.0.0.1,localhost' };
    this.variables = { ...base, ...options.environment, ...own, ...proxy };
  }

  abstract run(prompt: string, ...parent: Parent): Promise<string>;

  start(args: readonly string[]): Program {
    const { home, work: folder, program } = this.options;
    const started = new Program(program, args, { home, folder, environment: this.variables });
    this.started.add({ kill: () => started.signal('SIGKILL') });
    return started;
  }

  /** Start a client that reads its input, in a terminal or without one. */
  protected converse<T extends Conversation>(
    Kind: new (...args: ConstructorParameters<typeof Conversation>) => T,
    args: readonly string[],
  ): T {
    const { work: folder, program } = this.options;
    const started = new Kind(program, args, { folder, variables: this.variables });
    this.started.add(started);
    return started;
  }

  /** @throws Error if the client fails */
  async finish(args: readonly string[]): Promise<string> {
    const program = this.start(args);
    const { code, signal } = await program.ended;
    if (code !== 0)
      throw new Error(`${args.join(' ')} ended (${code ?? signal}): ${program.stdout}${program.stderr}`);
    return program.stdout;
  }

  stop(): void {
    for (const each of this.started) each.kill();
    this.started.clear();
  }
}

/** @throws Error if the output does not name the session */
export function findId(output: string, id: RegExp): string {
  const found = id.exec(output)?.[1];
  if (found === undefined) throw new Error(`No ${id} in ${output}`);
  return found;
}
