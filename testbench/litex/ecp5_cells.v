// SPDX-License-Identifier: Apache-2.0
// Cells of ECP5 at the edge of the SoC, without delays, as the primitives' guide of Lattice describes
// them.

// A delay of the pin, which the model has not.
module DELAYG #(
  parameter DEL_MODE  = "USER_DEFINED",
  parameter DEL_VALUE = 0
) (
  input  A,
  output Z
);
  assign Z = A;
endmodule

// D0 leaves while the clock is high, D1 while it is low.
module ODDRX1F (
  input  SCLK,
  input  D0,
  input  D1,
  output Q
);
  reg rising, falling;
  always @(posedge SCLK) {rising, falling} <= {D0, D1};
  assign Q = SCLK ? rising : falling;
endmodule

// What was seen at the last rising and falling edge.
module IDDRX1F (
  input      SCLK,
  input      D,
  output reg Q0,
  output reg Q1
);
  reg rising, falling;
  always @(negedge SCLK) falling <= D;
  always @(posedge SCLK) begin
    rising <= D;
    Q0     <= rising;
    Q1     <= falling;
  end
endmodule

// A flip-flop with asynchronous preset.
module FD1S3BX (
  input      CK,
  input      D,
  input      PD,
  output reg Q
);
  always @(posedge CK or posedge PD) begin
    if (PD) Q <= 1'b1;
    else    Q <= D;
  end
endmodule

// A flip-flop at the input of a pin, and one at the output; neither is ever preset here.
module IFS1P3BX (
  input      SCLK,
  input      D,
  input      SP,
  input      PD,
  output reg Q
);
  always @(posedge SCLK or posedge PD) begin
    if (PD) Q <= 1'b1;
    else if (SP) Q <= D;
  end
endmodule

module OFS1P3BX (
  input  SCLK,
  input  D,
  input  SP,
  input  PD,
  output Q
);
  IFS1P3BX flop (.SCLK(SCLK), .D(D), .SP(SP), .PD(PD), .Q(Q));
endmodule
