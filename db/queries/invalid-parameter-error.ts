/** An invalid parameter that only a query can check, such as a cursor or the key of a chain. */
export class InvalidParameterError extends Error {
  override readonly name = 'InvalidParameterError';

  /** @param reason what is wrong, to follow the name in a sentence */
  constructor(
    readonly field: string,
    readonly reason: string,
  ) {
    super(`"${field}" ${reason}`);
  }
}
