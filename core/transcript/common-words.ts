/**
 * Words that stand in nearly every stretch of a transcript. Where two of them follow one another, the pair is indexed
 * too, so that a phrase of common words is found without reading everything.
 */
export const COMMON_WORDS: ReadonlySet<string> = new Set(
  (
    'a about add all also an and any are as at be but by can code const could do does don else error export fail false ' +
    'file files find first for from function get has have here how i id if import in is it its just let ll line make me ' +
    'more my name need new no not now null of ok on one only or out output path read return run s see set should so ' +
    'some string t test tests than that the their them then there these they this to true type undefined up update us ' +
    'use user using value ve was we were what when which will with would you your 0 1 2 3'
  ).split(' '),
);
