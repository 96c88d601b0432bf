/** An invalid parameter that only a query can check, such as a cursor or the key of a chain. */
export class InvalidParameterError extends Error {
  override readonly name = 'InvalidParameterError';

  /** @param reason the rest of a sentence that begins with the parameter's name */
  constructor(
    readonly field: string,
    readonly reason: string,
  ) {
    super(`"${field}" ${reason}`);
  }
}
