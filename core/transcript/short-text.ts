/** Characters of a text that an answer holds unless all of it was asked for. */
export const SHORT_TEXT = 20_000;
