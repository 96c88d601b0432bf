import type { Trouble } from '@/core/api/session';
import { TROUBLE_WORD, TroubleGlyph } from '../ui/trouble-glyph';

interface TroubleMarkProps {
  trouble: Trouble;
  /** Of the sentence, for what it describes. */
  id: string;
  /** Names the trouble beside its sign, where there is room. */
  worded?: boolean;
}

/** The mark of a session in trouble; why stands below it while the pointer is on the mark or the focus beside it. */
export function TroubleMark({ trouble, id, worded = false }: TroubleMarkProps) {
  return (
    <span className="trouble">
      <TroubleGlyph kind={trouble.kind} />
      {worded ? (
        <span className="trouble-word" aria-hidden="true">
          {TROUBLE_WORD[trouble.kind]}
        </span>
      ) : null}
      <span id={id} className="sr-only">
        {TROUBLE_WORD[trouble.kind]}: {trouble.sentence}
      </span>
      <span className="trouble-note" aria-hidden="true">
        <b>{TROUBLE_WORD[trouble.kind]}</b> {trouble.sentence}
      </span>
    </span>
  );
}
