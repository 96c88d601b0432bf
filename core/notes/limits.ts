/** How much a note may hold: for the API's shapes and the page's fields alike. */

/** Characters of its text. */
export const MOST_NOTE_CHARACTERS = 2_000;
/** Characters of its writer's name. */
export const MOST_AUTHOR_CHARACTERS = 80;
