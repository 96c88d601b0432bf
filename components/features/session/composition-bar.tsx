'use client';
import { useRef } from 'react';
import { hatchPath } from '../../charts/torn-edge';
import { useMeasuredWidth } from '../../ui/use-measured-width';
import type { RoleRow } from './prepare-advice';

interface CompositionBarProps {
  roles: readonly RoleRow[];
  /** Tokens. */
  tokens: number;
  limit: number | null;
}

const HEIGHT = 12;

/**
 * The context as one bar on the axis of all pressures, 0 to 110 % of the limit: one piece per role, distinguished by
 * texture, for colour is the state's. Without a limit it is as long as its place.
 */
export function CompositionBar({ roles, tokens, limit }: CompositionBarProps) {
  const box = useRef<HTMLDivElement>(null);
  const width = useMeasuredWidth(box);
  const span = limit === null || limit <= 0 ? Math.max(1, tokens) : Math.max(limit * 1.1, tokens * 1.02);
  const x = (count: number) => (count / span) * (width - 1);
  let from = 0;
  const pieces = roles.map((role, index) => {
    const piece = { id: role.id, index, x: x(from), width: x(role.tokens) };
    from += role.tokens;
    return piece;
  });
  return (
    <div ref={box} className="h-[18px]">
      {width === 0 ? null : (
        <svg width={width} height={18} aria-hidden="true" className="block overflow-visible">
          <line x1={0} x2={width} y1={16.5} y2={16.5} stroke="var(--hair)" />
          {pieces.map(({ id, index, ...piece }) => (
            <Texture key={id} index={index} x={piece.x + 0.5} y={1.5} width={piece.width} height={HEIGHT} />
          ))}
          {limit === null || limit <= 0 ? null : (
            <line x1={x(limit)} x2={x(limit)} y1={0} y2={16} stroke="var(--ink)" strokeWidth={1.5} />
          )}
        </svg>
      )}
    </div>
  );
}

/** The texture of a role beside its name. */
export function RoleSwatch({ index }: { index: number }) {
  return (
    <svg width="12" height="10" aria-hidden="true" className="inline-block shrink-0 align-[-1px]">
      <Texture index={index} x={0.5} y={0.5} width={11} height={9} />
    </svg>
  );
}

interface TextureProps {
  index: number;
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Solid, close hatch, wide hatch, strokes, empty; further roles begin again. */
function Texture({ index, x, y, width, height }: TextureProps) {
  const kind = index % 5;
  const outline = <rect x={x} y={y} width={Math.max(0, width)} height={height} stroke="var(--ink)" />;
  const box = { x, y, width, height };
  return (
    <g fill="none" strokeWidth={0.75}>
      {kind === 0 ? (
        <rect {...box} width={Math.max(0, width)} fill="var(--ink)" />
      ) : kind === 1 ? (
        <path d={hatchPath({ ...box, spacing: 3 })} stroke="var(--ink)" />
      ) : kind === 2 ? (
        <path d={hatchPath({ ...box, spacing: 6 })} stroke="var(--ink)" />
      ) : kind === 3 ? (
        <path d={uprights(box)} stroke="var(--ink2)" />
      ) : null}
      {outline}
    </g>
  );
}

/** Upright strokes 3 px apart. */
function uprights({ x, y, width, height }: Omit<TextureProps, 'index'>): string {
  const parts: string[] = [];
  for (let at = Math.ceil(x / 3) * 3; at < x + width; at += 3) parts.push(`M${at} ${y}v${height}`);
  return parts.join('');
}
