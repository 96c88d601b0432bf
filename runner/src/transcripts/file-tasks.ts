/** Tasks of one file run one behind the other, so that its items leave in order; files do not wait for each other. */
export class FileTasks {
  readonly #running = new Map<string, Promise<void>>();
  readonly #onProblem: (path: string, reason: string) => void;

  constructor(onProblem: (path: string, reason: string) => void) {
    this.#onProblem = onProblem;
  }

  isBusy(path: string): boolean {
    return this.#running.has(path);
  }

  enqueue(path: string, task: () => Promise<void>): void {
    const work = (this.#running.get(path) ?? Promise.resolve())
      .then(task)
      .catch((error: unknown) =>
        this.#onProblem(path, error instanceof Error ? error.message : String(error)),
      )
      .finally(() => {
        if (this.#running.get(path) === work) this.#running.delete(path);
      });
    this.#running.set(path, work);
  }

  /** Resolves when nothing is left to do. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values());
  }
}
