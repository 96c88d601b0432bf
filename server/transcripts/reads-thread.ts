/** A thread that unpacks, parses, masks and searches for reads, so that a heavy file does not delay other requests. */
import { contentsTasks } from '../../db/transcripts/contents/contents-work';

export const { places, messages, outline, search, source } = contentsTasks;
