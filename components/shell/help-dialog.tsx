'use client';
import { usePathname } from 'next/navigation';
import { Dialog } from '../ui/dialog';
import { keysOf } from './nav-items';

export default function HelpDialog({ commandKey, onClose }: { commandKey: string; onClose: () => void }) {
  return (
    <Dialog open onClose={onClose} title="Keys">
      <div className="p-[22px] pt-[10px]">
        {keysOf(usePathname(), commandKey).map(({ title, keys }) => (
          <section key={title} aria-label={title} className="pb-[14px] last:pb-0">
            <h3 className="pb-[6px] text-small text-ink2">{title}</h3>
            <dl>
              {keys.map(([names, what]) => (
                <div
                  key={what}
                  className="flex min-h-[36px] items-center gap-[16px] border-t border-hair py-[6px]"
                >
                  <dt className="flex w-[80px] shrink-0 flex-wrap gap-[4px]">
                    {(names === commandKey ? [names] : names.split(' ')).map((name) => (
                      <kbd key={name} className="key">
                        {name}
                      </kbd>
                    ))}
                  </dt>
                  <dd>{what}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
