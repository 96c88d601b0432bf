import { CommandBlock } from '../ui/copy-button';

export interface CommandStep {
  title: string;
  command: string;
  /** The command without the folders that the page names once. */
  shown?: string | undefined;
  note?: React.ReactNode;
}

interface CommandStepsProps {
  steps: readonly CommandStep[];
  /** False: the steps are alternatives instead of a sequence. */
  isSequence?: boolean;
}

export function CommandSteps({ steps, isSequence = true }: CommandStepsProps) {
  const List = isSequence ? 'ol' : 'ul';
  return (
    <List>
      {steps.map(({ title, note, ...command }, index) => (
        <li key={title} className={`pt-[18px] ${isSequence ? 'grid grid-cols-[20px_minmax(0,1fr)]' : ''}`}>
          {isSequence ? <span className="num strong">{index + 1}</span> : null}
          <div>
            <h2 className="pb-[6px] font-normal">{title}</h2>
            <CommandBlock {...command} what={title} />
            {note === undefined ? null : <div className="pt-[5px] text-small text-ink2">{note}</div>}
          </div>
        </li>
      ))}
    </List>
  );
}
