import { Program } from '../support/program';

export interface AgentOptions {
  /** HOME and working folder of the client. */
  home: string;
  work: string;
  /** Path of the client's program. */
  program: string;
  modelUrl: string;
  environment: Record<string, string>;
}

/** A real agent that runs one prompt per process, without access to other machines. */
export class RealAgent<Options extends AgentOptions = AgentOptions> {
  private readonly running = new Set<Program>();

  constructor(protected readonly options: Options) {}

  /**
   * @param id finds the client's session id in the output
   * @throws Error if the client fails
   */
  protected async start(args: string[], id: RegExp, variables: Record<string, string> = {}): Promise<string> {
    const { home, work: folder, program: path, environment } = this.options;
    // No proxy listens on this port, so every request to another machine fails.
    const proxy = { HTTPS_PROXY: 'http://127.0.0.1:9', NO_PROXY: '127.0.0.1,localhost' };
    const program = new Program(path, args, {
      home,
      folder,
      environment: { ...environment, ...variables, ...proxy },
    });
    this.running.add(program);
    const { code, signal } = await program.ended;
    this.running.delete(program);
    const session = id.exec(program.stdout)?.[1];
    if (code !== 0 || session === undefined)
      throw new Error(`${path} ended (${code ?? signal}): ${program.stdout}${program.stderr}`);
    return session;
  }

  /** End the processes that a failed scenario left running. */
  stop(): void {
    for (const program of this.running) program.signal('SIGKILL');
  }
}
