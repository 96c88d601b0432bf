/** The batch met something that it must know before it takes its locks; rolled back, it is to be tried again. */
export class BatchOutdated extends Error {
  override readonly name = 'BatchOutdated';
}
