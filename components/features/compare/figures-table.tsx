import { type NamedSide, prepareFigures } from './prepare-compare';
import { StrokeSample } from './side-head';

const HEAD = 'py-[6px] pl-[12px] text-right font-normal whitespace-nowrap max-sm:pl-[7px]';
const CELL = 'num py-[4px] pl-[12px] text-right max-sm:pl-[7px]';

export function FiguresTable({ sides }: { sides: readonly NamedSide[] }) {
  const [a, b] = sides;
  if (a === undefined) return null;
  return (
    <table className="mt-[18px] w-full border-collapse border-t border-ink max-sm:text-small">
      <caption className="sr-only">Figures of both, side by side</caption>
      <thead>
        <tr className="border-b border-hair2 text-small text-ink2">
          <th scope="col" className="py-[6px] text-left font-normal">
            figure
          </th>
          {sides.map(({ name }) => (
            <th key={name} scope="col" className={HEAD}>
              <span className="inline-flex justify-end text-ink">
                <StrokeSample name={name} />
              </span>
            </th>
          ))}
          {b === undefined ? null : (
            <>
              <th scope="col" className={HEAD}>
                B − A
              </th>
              <td className="w-[38%] py-[6px] pl-[32px] text-left max-md:hidden" aria-hidden="true">
                scaled per row
              </td>
            </>
          )}
        </tr>
      </thead>
      <tbody>
        {prepareFigures(a.data.figures, b?.data.figures ?? null).map((row) => (
          <tr key={row.name} className="border-b border-hair">
            <th scope="row" className="py-[4px] text-left font-normal text-ink2">
              {row.name}
            </th>
            <td className={CELL}>{row.a}</td>
            {b === undefined ? null : (
              <>
                <td className={CELL}>{row.b}</td>
                <td className={`${CELL} text-ink2`}>{row.difference ?? <NoDifference />}</td>
                <td className="pl-[32px] max-md:hidden" aria-hidden="true">
                  <Bars {...row.shares} />
                </td>
              </>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Bars({ a, b }: { a: number | null; b: number | null }) {
  if (a === null && b === null) return null;
  const width = (share: number | null) => `${(share ?? 0) * 100}%`;
  return (
    <svg width="100%" height="14" className="block" role="presentation">
      <defs>
        <pattern id="bar-b" width="4" height="4" patternUnits="userSpaceOnUse">
          <path d="M-1 5 5-1M-1 1 1-1M3 5 5 3" stroke="var(--ink)" strokeWidth="0.9" />
        </pattern>
      </defs>
      <rect y="1" width={width(a)} height="5" fill="var(--ink)" />
      <rect y="7" width={width(b)} height="5" fill="url(#bar-b)" />
    </svg>
  );
}

function NoDifference() {
  return (
    <>
      <span aria-hidden="true">–</span>
      <span className="sr-only">no difference</span>
    </>
  );
}
