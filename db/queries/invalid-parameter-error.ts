/** A parameter that only the database or the list can check: a cursor, the key of a chain. */
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
