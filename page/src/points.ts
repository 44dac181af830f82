// Draws the points: one WebGL program, one draw call for each of the two layers (rows, then rows with a label on top).
//
// Not regl-scatterplot: regl compiles every draw command with `Function(...)`, so the page's Content-Security-Policy
// would have to allow 'unsafe-eval', and it draws circles only, while classes here differ by shape as well as colour,
// for those who do not see the colours, and given labels carry a rim.

/** Names of the shapes, as `sskpca.plots` has them, in the order of the shader's branches. */
export const SHAPES = [
  "circle",
  "square",
  "triangle",
  "diamond",
  "triangle upside down",
  "plus",
  "star",
  "cross",
] as const;

/** Return the number of a shape in the shader; an unknown one is a circle. */
export function shapeNumber(name: string): number {
  return Math.max(0, (SHAPES as readonly string[]).indexOf(name));
}

const VERTEX = `
attribute vec2 place;
attribute vec4 color;
attribute vec4 style;  // shape, size factor, rim, pulse
uniform vec2 scale;
uniform vec2 shift;
uniform float diameter;
uniform float pulse;
varying vec4 fill;
varying float shape;
varying float rim;
varying float size;
void main() {
  gl_Position = vec4(place * scale + shift, 0.0, 1.0);
  size = diameter * style.y / 64.0 + style.w * pulse;
  gl_PointSize = size + 2.0;
  fill = color;
  shape = style.x;
  rim = style.z;
}`;

// Distances are in pixels, negative inside; the half pixel on both sides of the edge is the smoothing.
const FRAGMENT = `
precision mediump float;
uniform vec3 ink;
uniform float pixel;
varying vec4 fill;
varying float shape;
varying float rim;
varying float size;
float bar(vec2 p, float r) { return max(abs(p.x) - r * 0.36, abs(p.y) - r); }
void main() {
  vec2 p = (gl_PointCoord - 0.5) * (size + 2.0);
  p.y = -p.y;
  float r = size * 0.5;
  vec2 q = abs(p);
  float d;
  if (shape < 0.5) d = length(p) - r * 0.92;
  else if (shape < 1.5) d = max(q.x, q.y) - r * 0.8;
  else if (shape < 2.5) d = max(q.x * 0.866 + p.y * 0.5, -p.y) - r * 0.55;
  else if (shape < 3.5) d = (q.x + q.y) * 0.7071 - r * 0.71;
  else if (shape < 4.5) d = max(q.x * 0.866 - p.y * 0.5, p.y) - r * 0.55;
  else if (shape < 5.5) d = min(bar(p, r * 0.98), bar(p.yx, r * 0.98));
  else if (shape < 6.5) {
    float s = mod(atan(p.x, p.y) + 0.6283, 1.2566) - 0.6283;
    vec2 t = length(p) * vec2(cos(s), abs(sin(s)));
    d = t.x * 0.62 + t.y * 0.785 - r * 0.62;
  } else {
    vec2 t = vec2(p.x + p.y, p.x - p.y) * 0.7071;
    d = min(bar(t, r * 0.98), bar(t.yx, r * 0.98));
  }
  float inside = clamp(0.5 - d, 0.0, 1.0);
  if (inside * fill.a < 0.004) discard;
  // A darker edge for all (yellow on white), a rim in ink for labels given.
  float width = (rim > 1.5 ? 1.5 : min(1.0, 0.09 * size / pixel)) * pixel;
  float edge = clamp(d + width + 0.5, 0.0, 1.0);
  vec3 border = rim > 0.5 ? ink : fill.rgb * (ink.r > 0.5 ? 1.0 : 0.72);
  float alpha = fill.a * inside;
  gl_FragColor = vec4(mix(fill.rgb, border, rim > 0.5 ? edge : edge * 0.8) * alpha, alpha);
}`;

function compile(gl: WebGLRenderingContext, kind: number, text: string): WebGLShader {
  const shader = gl.createShader(kind);
  if (!shader) throw new Error("no shader");
  gl.shaderSource(shader, text);
  gl.compileShader(shader);
  if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS) && !gl.isContextLost())
    throw new Error(gl.getShaderInfoLog(shader) ?? "the shader does not compile");
  return shader;
}

export interface Look {
  /** From the map's coordinates to those of the canvas, -1 to 1. */
  scale: [number, number];
  shift: [number, number];
  /** Of a common point, in device pixels. */
  diameter: number;
  /** By how much points that just changed are larger, in device pixels. */
  pulse: number;
  ink: [number, number, number];
  pixel: number;
}

/** A cloud of points on a canvas. */
export class Points {
  /** red, green, blue, opacity of each row. */
  readonly color: Uint8Array<ArrayBuffer>;
  /** shape, size (64 is common), rim, pulse of each row. */
  readonly style: Uint8Array<ArrayBuffer>;
  private readonly gl: WebGLRenderingContext;
  private readonly at: Record<string, WebGLUniformLocation | null> = {};
  private readonly colorBuffer: WebGLBuffer | null;
  private readonly styleBuffer: WebGLBuffer | null;
  private readonly topBuffer: WebGLBuffer | null;
  private top = 0;

  /** Throws if there is no WebGL. */
  constructor(
    private readonly canvas: HTMLCanvasElement,
    places: Float32Array<ArrayBuffer>,
  ) {
    const n = places.length / 2;
    const gl = canvas.getContext("webgl", {
      antialias: false,
      alpha: true,
      premultipliedAlpha: true,
      preserveDrawingBuffer: true,
    });
    if (!gl) throw new Error("no WebGL");
    this.gl = gl;
    this.color = new Uint8Array(4 * n);
    this.style = new Uint8Array(4 * n);
    const program = gl.createProgram();
    gl.attachShader(program, compile(gl, gl.VERTEX_SHADER, VERTEX));
    gl.attachShader(program, compile(gl, gl.FRAGMENT_SHADER, FRAGMENT));
    gl.linkProgram(program);
    gl.useProgram(program);
    for (const name of ["scale", "shift", "diameter", "pulse", "ink", "pixel"])
      this.at[name] = gl.getUniformLocation(program, name);
    const attribute = (
      name: string,
      data: ArrayBufferView<ArrayBuffer>,
      size: number,
      type: number,
      normalized: boolean,
    ) => {
      const buffer = gl.createBuffer();
      const where = gl.getAttribLocation(program, name);
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.bufferData(gl.ARRAY_BUFFER, data, gl.DYNAMIC_DRAW);
      gl.enableVertexAttribArray(where);
      gl.vertexAttribPointer(where, size, type, normalized, 0, 0);
      return buffer;
    };
    attribute("place", places, 2, gl.FLOAT, false);
    this.colorBuffer = attribute("color", this.color, 4, gl.UNSIGNED_BYTE, true);
    this.styleBuffer = attribute("style", this.style, 4, gl.UNSIGNED_BYTE, false);
    this.topBuffer = gl.createBuffer();
    gl.getExtension("OES_element_index_uint");
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.clearColor(0, 0, 0, 0);
  }

  /** Send colours and styles to the graphics card; the rows in `top` are drawn last. */
  upload(top: Uint32Array<ArrayBuffer>): void {
    const { gl } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.colorBuffer);
    gl.bufferSubData(gl.ARRAY_BUFFER, 0, this.color);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.styleBuffer);
    gl.bufferSubData(gl.ARRAY_BUFFER, 0, this.style);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.topBuffer);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, top, gl.DYNAMIC_DRAW);
    this.top = top.length;
  }

  draw(look: Look): void {
    const { gl, at } = this;
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.uniform2fv(at["scale"]!, look.scale);
    gl.uniform2fv(at["shift"]!, look.shift);
    gl.uniform1f(at["diameter"]!, look.diameter);
    gl.uniform1f(at["pulse"]!, look.pulse);
    gl.uniform3fv(at["ink"]!, look.ink);
    gl.uniform1f(at["pixel"]!, look.pixel);
    gl.drawArrays(gl.POINTS, 0, this.color.length / 4);
    if (this.top) gl.drawElements(gl.POINTS, this.top, gl.UNSIGNED_INT, 0);
  }
}
