import { CommandBlock } from '../ui/copy-button';

export interface CommandStep {
  title: string;
  command: string;
  note?: React.ReactNode;
}

export function CommandSteps({ steps }: { steps: readonly CommandStep[] }) {
  return (
    <ol>
      {steps.map(({ title, command, note }, index) => (
        <li key={title} className="grid grid-cols-[20px_minmax(0,1fr)] pt-[18px]">
          <span className="num strong">{index + 1}</span>
          <div>
            <h2 className="pb-[6px] font-normal">{title}</h2>
            <CommandBlock command={command} what={title} />
            {note === undefined ? null : <p className="pt-[5px] text-small text-ink2">{note}</p>}
          </div>
        </li>
      ))}
    </ol>
  );
}
