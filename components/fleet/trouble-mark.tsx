import type { Trouble } from '@/core/api/session';
import { TROUBLE_WORD, TroubleGlyph } from '../ui/trouble-glyph';

/**
 * The mark of a row in trouble; why stands below the row while the pointer is on the mark or the focus in the row.
 * @param id of the sentence, for what it describes
 */
export function TroubleMark({ trouble, id }: { trouble: Trouble; id: string }) {
  return (
    <span className="trouble">
      <TroubleGlyph kind={trouble.kind} />
      <span id={id} className="sr-only">
        {TROUBLE_WORD[trouble.kind]}: {trouble.sentence}
      </span>
      <span className="trouble-note" aria-hidden="true">
        <b>{TROUBLE_WORD[trouble.kind]}</b> {trouble.sentence}
      </span>
    </span>
  );
}
