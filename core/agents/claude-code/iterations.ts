/** Separate, so that the library does not load the transcript readers. */
import { asFields, asList, type Fields } from '../fields';

export interface Iterations {
  /** Samplings of the message's own model. The message's counts are their sum. */
  messages: Fields[];
  /** The message's counts exclude these. */
  compactions: Fields[];
  /** Calls of another model, which the message's counts exclude. They have no part of this context. */
  advisors: Fields[];
}

/** The steps of one message with server-side tools or compactions. Steps of unknown types are left out. */
export function readIterations(usage: Fields): Iterations {
  const steps = asList(usage.iterations).map(asFields);
  const of = (type: string) => steps.filter((step) => step?.type === type) as Fields[];
  return { messages: of('message'), compactions: of('compaction'), advisors: of('advisor_message') };
}

/** Id of an advisor's call, the same from each source. @param place 0 for the first advisor of the message */
export function advisorId(message: string, place: number): string {
  return `${message}#advisor-${place + 1}`;
}
