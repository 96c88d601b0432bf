/** How a secret stands in every text, and how a screen finds such places: the number, and the rule's name. */
export const SECRET_MARK = /\[secret (\d{1,9}): ([\w .,'-]{1,60})\]/g;
