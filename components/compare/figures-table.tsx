import type { NamedSide } from './prepare-compare';
import { prepareFigures } from './prepare-figures';
import { StrokeSample } from './stroke-sample';

/** What both came to, and what lies between: on the screen, and for those who do not see the traces. */
export function FiguresTable({ sides }: { sides: readonly NamedSide[] }) {
  const [a, b] = sides;
  if (a === undefined) return null;
  const rows = prepareFigures(a.data.figures, b?.data.figures ?? null);
  return (
    <table className="mt-[18px] w-full max-w-[860px] border-collapse border-t border-ink max-sm:text-small">
      <caption className="sr-only">Figures of both, side by side</caption>
      <thead>
        <tr className="border-b border-hair2 text-small text-ink2">
          <th scope="col" className="py-[6px] text-left font-normal">
            figure
          </th>
          {sides.map(({ name }) => (
            <th key={name} scope="col" className="py-[6px] pl-[12px] max-sm:pl-[7px] text-right font-normal">
              <span className="inline-flex justify-end text-ink">
                <StrokeSample name={name} />
              </span>
            </th>
          ))}
          {b === undefined ? null : (
            <th
              scope="col"
              className="py-[6px] pl-[12px] max-sm:pl-[7px] text-right font-normal whitespace-nowrap"
            >
              B − A
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, a: left, b: right, difference }) => (
          <tr key={name} className="border-b border-hair">
            <th scope="row" className="py-[4px] text-left font-normal text-ink2">
              {name}
            </th>
            <td className="num py-[4px] pl-[12px] max-sm:pl-[7px] text-right">{left}</td>
            {b === undefined ? null : (
              <>
                <td className="num py-[4px] pl-[12px] max-sm:pl-[7px] text-right">{right}</td>
                <td className="num py-[4px] pl-[12px] max-sm:pl-[7px] text-right text-ink2">
                  {difference ?? <NoDifference />}
                </td>
              </>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function NoDifference() {
  return (
    <>
      <span aria-hidden="true">–</span>
      <span className="sr-only">no difference to tell</span>
    </>
  );
}
