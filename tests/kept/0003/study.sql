BEGIN TRANSACTION;
CREATE TABLE answers (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	question VARCHAR NOT NULL, 
	study INTEGER NOT NULL, 
	participant INTEGER NOT NULL, 
	response JSON, 
	rt_ms DOUBLE, 
	client JSON NOT NULL, 
	received DOUBLE NOT NULL, 
	CONSTRAINT uq_answers_question UNIQUE (question), 
	CONSTRAINT fk_answers_question FOREIGN KEY(question) REFERENCES questions (id), 
	CONSTRAINT fk_answers_study FOREIGN KEY(study) REFERENCES studies (id), 
	CONSTRAINT fk_answers_participant FOREIGN KEY(participant) REFERENCES participants (id)
);
INSERT INTO "answers" VALUES(1,'HO-Zv8q5Fqf1p18SLRCTPA',1,1,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0,"unshown":false}',1.79534970471919608117e+09);
INSERT INTO "answers" VALUES(2,'c73CXttD7Y75vCi52wGYoQ',1,1,'{"chosen":1}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0,"unshown":false}',1.79534970477361631394e+09);
INSERT INTO "answers" VALUES(3,'XwCZGzpb5lITLRxE8xHNxw',1,1,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0,"unshown":false}',1.79534970480656385421e+09);
INSERT INTO "answers" VALUES(4,'kn6W8wQCz359oG28o4TXeg',1,1,'{"chosen":1}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0,"unshown":false}',1.79534970482209086414e+09);
INSERT INTO "answers" VALUES(5,'2cCFowWuZ53XVpXJr28KPA',1,1,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0,"unshown":false}',1.7953497048398690223e+09);
INSERT INTO "answers" VALUES(6,'0i0ibavjv8qoERXB0us5yQ',1,1,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0,"unshown":false}',1.79534970485224294658e+09);
INSERT INTO "answers" VALUES(7,'itoPtZs4FOSYzpmVZ1cZsg',1,1,'{"chosen":1}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0,"unshown":false}',1.79534970488200354573e+09);
INSERT INTO "answers" VALUES(8,'HyPDsCCOK6zVGMc_uKCP8g',1,1,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0,"unshown":false}',1.79534970491932225223e+09);
INSERT INTO "answers" VALUES(9,'56b6o91tEZgEUfsvh-XMbQ',1,1,'{"chosen":1}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0,"unshown":false}',1.79534970494788718225e+09);
INSERT INTO "answers" VALUES(10,'99sg2RGWdmgCNZ_4Z4bX0g',1,1,'{"chosen":1}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0,"unshown":false}',1.79534970499006152149e+09);
INSERT INTO "answers" VALUES(11,'5aaryUAzCqlk4ZeXPsWq5w',1,1,'{"chosen":1}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0,"unshown":false}',1.79534970500357604029e+09);
INSERT INTO "answers" VALUES(12,'odqsitjO0m2_KRiLrq6XWw',1,1,'{"chosen":1}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0,"unshown":false}',1.79534970504740118979e+09);
INSERT INTO "answers" VALUES(13,'vaNGHLJm5yrCbRvSpOVvDA',1,2,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0,"unshown":false}',1795349705.84373);
INSERT INTO "answers" VALUES(14,'9CZU6naZjyUfXInwONxRMA',1,2,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0,"unshown":false}',1.79534970591769695285e+09);
INSERT INTO "answers" VALUES(15,'iUIXWR-ttKE8pvqAi19soA',1,2,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0,"unshown":false}',1.79534970601038837431e+09);
INSERT INTO "answers" VALUES(16,'fzwqXaCCDtcnoKNieWpnOQ',1,2,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0,"unshown":false}',1795349706.03761);
INSERT INTO "answers" VALUES(17,'Of91Wi-2Ch0uDCBZHySHEA',1,2,NULL,400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0,"unshown":false}',1.79534970605747985837e+09);
INSERT INTO "answers" VALUES(18,'QYeA1gI53oNn7X47qyxx-w',1,2,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0,"unshown":false}',1.79534970606090497967e+09);
INSERT INTO "answers" VALUES(19,'j8hwlJrdXMte5nGgi5s4FA',1,2,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0,"unshown":false}',1.7953497060754449368e+09);
INSERT INTO "answers" VALUES(20,'cPnM-6EhKoSa8V2_sepJ3w',1,3,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0,"unshown":false}',1.79534970630419969551e+09);
INSERT INTO "answers" VALUES(21,'SS8G14CqX_5o1xnrwHXSnA',1,3,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0,"unshown":false}',1.79534970632563376426e+09);
INSERT INTO "answers" VALUES(22,'JTaJjzG5X80teuT8rY3U2w',1,3,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0,"unshown":false}',1.79534970636828780177e+09);
INSERT INTO "answers" VALUES(23,'PDvsA-JE6tYTs3dx6NhKpQ',1,3,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0,"unshown":false}',1.79534970641979527475e+09);
INSERT INTO "answers" VALUES(24,'TYaGteUuva9J29qkPVzeaw',1,3,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0,"unshown":false}',1.79534970646543478962e+09);
INSERT INTO "answers" VALUES(25,'IEAqEAYCpJVS3gxXNLsRog',1,3,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0,"unshown":false}',1.79534970648648428918e+09);
INSERT INTO "answers" VALUES(26,'OVMUl9cq8gULeO1pOQaq5w',1,3,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0,"unshown":false}',1.79534970649266791345e+09);
INSERT INTO "answers" VALUES(27,'DC36wDeQiYx4PMdXnCpSZQ',1,3,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0,"unshown":false}',1.79534970651390933995e+09);
INSERT INTO "answers" VALUES(28,'H0SVPB2Lcst_aKUF3AFBBw',1,3,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0,"unshown":false}',1.79534970652216672895e+09);
INSERT INTO "answers" VALUES(29,'Ks1caAmLz528bgzBdgG5dw',1,3,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0,"unshown":false}',1.79534970653903841976e+09);
INSERT INTO "answers" VALUES(30,'Q3jjfoEQBGK1cAYzwc5Qxw',1,3,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0,"unshown":false}',1.79534970654303908344e+09);
INSERT INTO "answers" VALUES(31,'TjnzgQc7EGXqIMNQnr8Bpw',1,3,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0,"unshown":false}',1.79534970654997634888e+09);
CREATE TABLE events (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	study INTEGER NOT NULL, 
	at DOUBLE NOT NULL, 
	who VARCHAR NOT NULL, 
	what VARCHAR NOT NULL, 
	details JSON NOT NULL, 
	CONSTRAINT fk_events_study FOREIGN KEY(study) REFERENCES studies (id)
);
INSERT INTO "events" VALUES(1,1,1.79534970419759225841e+09,'server','study added','{}');
INSERT INTO "events" VALUES(2,1,1.79534970740938735001e+09,'me','participant excluded','{"participant":"P0003-X8P3D","reason":"he guessed"}');
INSERT INTO "events" VALUES(3,1,1.79534971119365859026e+09,'quality rule','quality rule','{"rule":"side above 0.95","action":"flag","value":1.0,"reason":"side 1.00 in 10 answers (rule: side above 0.95)","participant":"P0003-X8P3D"}');
INSERT INTO "events" VALUES(4,1,1.79534971323523092267e+09,'worker','fit','{"number":1,"answers":28,"held_out_answers":0,"held_out_error":null,"held_out_log_loss":null,"trust":1.0,"left_out":["P0003-X8P3D"],"seconds":0.031}');
INSERT INTO "events" VALUES(5,1,1.79534971323758435254e+09,'worker','map','{"told":28,"items":6,"trust":1.0,"noise":[1.0,0.0],"held_out_loss":[],"positions":[[-0.93452,0.494683],[0.0525504,-0.361867],[0.0216569,-0.230373],[0.992292,0.766528],[-0.451517,0.0785446],[0.319537,-0.747515]],"left_out":["P0003-X8P3D"],"likelihood":{"P0001-3WW97":[0.596745,8],"P0002-TBK5W":[0.681641,3],"P0003-X8P3D":[0.433569,8],"P0006-8KV6Q":[0.587157,8]}}');
INSERT INTO "events" VALUES(6,1,1.79534971361462759972e+09,'researcher','participant erased','{"participant":"P0006-8KV6Q"}');
CREATE TABLE exclusions (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	study INTEGER NOT NULL, 
	participant INTEGER NOT NULL, 
	excluded BOOLEAN NOT NULL, 
	reason VARCHAR NOT NULL, 
	"by" VARCHAR NOT NULL, 
	at DOUBLE NOT NULL, 
	CONSTRAINT fk_exclusions_study FOREIGN KEY(study) REFERENCES studies (id), 
	CONSTRAINT fk_exclusions_participant FOREIGN KEY(participant) REFERENCES participants (id)
);
INSERT INTO "exclusions" VALUES(1,1,3,1,'he guessed','me',1.79534970740938735001e+09);
CREATE TABLE pages (
	id INTEGER NOT NULL, 
	study INTEGER NOT NULL, 
	participant INTEGER NOT NULL, 
	page VARCHAR NOT NULL, 
	response JSON NOT NULL, 
	received DOUBLE NOT NULL, 
	CONSTRAINT pk_pages PRIMARY KEY (id), 
	CONSTRAINT uq_pages_participant_page UNIQUE (participant, page), 
	CONSTRAINT fk_pages_study FOREIGN KEY(study) REFERENCES studies (id), 
	CONSTRAINT fk_pages_participant FOREIGN KEY(participant) REFERENCES participants (id)
);
INSERT INTO "pages" VALUES(1,1,1,'consent','{"agree":true,"values":{},"seconds":0.0}',1.79534970455153203012e+09);
INSERT INTO "pages" VALUES(2,1,1,'instructions','{"agree":null,"values":{},"seconds":0.0}',1.79534970462124752999e+09);
INSERT INTO "pages" VALUES(3,1,1,'questionnaire-1','{"agree":null,"values":{"age":41},"seconds":0.0}',1.79534970511198234562e+09);
INSERT INTO "pages" VALUES(4,1,2,'consent','{"agree":true,"values":{},"seconds":0.0}',1.79534970523014521595e+09);
INSERT INTO "pages" VALUES(5,1,2,'instructions','{"agree":null,"values":{},"seconds":0.0}',1.79534970528204321856e+09);
INSERT INTO "pages" VALUES(6,1,3,'consent','{"agree":true,"values":{},"seconds":0.0}',1.7953497062283532619e+09);
INSERT INTO "pages" VALUES(7,1,3,'instructions','{"agree":null,"values":{},"seconds":0.0}',1.79534970626084136959e+09);
INSERT INTO "pages" VALUES(8,1,4,'consent','{"agree":false,"values":{},"seconds":0.0}',1.79534970663458824159e+09);
CREATE TABLE participants (
	id INTEGER NOT NULL, 
	study INTEGER NOT NULL, 
	code VARCHAR NOT NULL, 
	source VARCHAR NOT NULL, 
	external_id VARCHAR, 
	token_hash VARCHAR, 
	state VARCHAR NOT NULL, 
	browser JSON NOT NULL, 
	created DOUBLE NOT NULL, 
	finished DOUBLE, 
	completion_code VARCHAR, 
	CONSTRAINT pk_participants PRIMARY KEY (id), 
	CONSTRAINT uq_participants_study_code UNIQUE (study, code), 
	CONSTRAINT uq_participants_study_source_external_id UNIQUE (study, source, external_id), 
	CONSTRAINT fk_participants_study FOREIGN KEY(study) REFERENCES studies (id), 
	CONSTRAINT uq_participants_token_hash UNIQUE (token_hash)
);
INSERT INTO "participants" VALUES(1,1,'P0001-3WW97','prolific','000000000000000000000001','93cab2279a62001cd6316c39d530b8eddd7dfd61c407745c6d90b105335a6150','finished','{"agent":"Firefox/140.0","languages":[],"timezone":"","screen":{"width":0,"height":0,"ratio":1},"touch":false,"reduced_motion":false,"dark":false,"page":"","parameters":{"SESSION_ID":"session1"}}',1.79534970444840145109e+09,1.79534970512951040262e+09,'C0FFEE42');
INSERT INTO "participants" VALUES(2,1,'P0002-TBK5W','prolific','000000000000000000000002','685a9c80d6f8398c985ce824c446cae945cffe4958fb4d68d05485e63236671c','consented','{"agent":"Firefox/140.0","languages":[],"timezone":"","screen":{"width":0,"height":0,"ratio":1},"touch":false,"reduced_motion":false,"dark":false,"page":"","parameters":{"SESSION_ID":"session2"}}',1.79534970515602731707e+09,NULL,NULL);
INSERT INTO "participants" VALUES(3,1,'P0003-X8P3D','prolific','000000000000000000000003','a273696877c86f6624e4dc47f16579a9df6b9f76a3bf6632d0e00e77f5ed4dcb','consented','{"agent":"Firefox/140.0","languages":[],"timezone":"","screen":{"width":0,"height":0,"ratio":1},"touch":false,"reduced_motion":false,"dark":false,"page":"","parameters":{"SESSION_ID":"session3"}}',1.79534970610039544105e+09,NULL,NULL);
INSERT INTO "participants" VALUES(4,1,'P0004-VQ9JH','prolific',NULL,'381053cf620f4d8ed6436496ba37b141a588fa52149d3d244d4a09aaba160262','stopped','{}',1.79534970657491850859e+09,NULL,NULL);
INSERT INTO "participants" VALUES(5,1,'P0005-2DKTF','prolific','digest:2031570ff211c988d54fd7836fd0edc1c6816c9e58679543fd33309545a07e38','4d2e06c111e286751bddce3270477eda7d054a952d9367ea47a9fd13c9a95e2a','entered','{"sealed":"kTw6SlDhzvdLJJue229EvDD86j1inMthZzCT6kVKUWxjex81gAHBjFynQWS8Z2buDIANkCFbdtungt0dMesGibMdnPAcEwC+gy0up6WOuu//KV4wT/FtM5K0U3hwEzO3cL5uT3AmZ/rR3xTBFvRMH/fqgSGieFl5G4E0pvo02aaoJcrXCwZYkHW8mMtdjr/jwCFZXCegMXUC5pkmjIttuk1cfOzL82VcKURx0N2WYIlVnbBeitIGToHUuwbIw4TX1jV+tMe166Z/lr5MM0vpWNCIMay5WNOTj9upU3ANAV99ebkk5SAqS9HVxIkWtIe5CHc3AgiEDGE/bL5w073CvgEf7TQqQIaEVQ=="}',1.79534970664408779139e+09,NULL,NULL);
INSERT INTO "participants" VALUES(6,1,'P0006-8KV6Q','prolific',NULL,NULL,'stopped','{}',1.79534970704313874244e+09,1.79534970740645790105e+09,NULL);
CREATE TABLE pool (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	study INTEGER NOT NULL, 
	spec JSON NOT NULL, 
	round INTEGER NOT NULL, 
	made DOUBLE NOT NULL, 
	taken DOUBLE, 
	CONSTRAINT fk_pool_study FOREIGN KEY(study) REFERENCES studies (id)
);
INSERT INTO "pool" VALUES(131,1,'{"kind":"triplet","head":"bright","options":["sharp","calm"],"gold":null,"strategy":"predictive","held_out":false,"session":"7cf18f66-68"}',1,1.79534971476329088205e+09,NULL);
INSERT INTO "pool" VALUES(132,1,'{"kind":"triplet","head":"bright","options":["soft","sharp"],"gold":null,"strategy":"predictive","held_out":false,"session":"7cf18f66-69"}',1,1.79534971476329088205e+09,NULL);
INSERT INTO "pool" VALUES(133,1,'{"kind":"triplet","head":"bright","options":["calm","dark"],"gold":null,"strategy":"held out","held_out":true,"session":"7cf18f66-70"}',1,1.79534971476329088205e+09,NULL);
INSERT INTO "pool" VALUES(134,1,'{"kind":"triplet","head":"soft","options":["calm","bright"],"gold":null,"strategy":"predictive","held_out":false,"session":"7cf18f66-71"}',1,1.79534971476329088205e+09,NULL);
INSERT INTO "pool" VALUES(135,1,'{"kind":"triplet","head":"bright","options":["dark","sharp"],"gold":null,"strategy":"predictive","held_out":false,"session":"7cf18f66-72"}',1,1.79534971476329088205e+09,NULL);
INSERT INTO "pool" VALUES(136,1,'{"kind":"triplet","head":"soft","options":["loud","calm"],"gold":null,"strategy":"predictive","held_out":false,"session":"7cf18f66-73"}',1,1.79534971476329088205e+09,NULL);
INSERT INTO "pool" VALUES(137,1,'{"kind":"triplet","head":"loud","options":["dark","bright"],"gold":null,"strategy":"held out","held_out":true,"session":"7cf18f66-74"}',1,1.79534971476329088205e+09,NULL);
INSERT INTO "pool" VALUES(138,1,'{"kind":"triplet","head":"soft","options":["dark","sharp"],"gold":null,"strategy":"predictive","held_out":false,"session":"7cf18f66-75"}',1,1.79534971476329088205e+09,NULL);
INSERT INTO "pool" VALUES(139,1,'{"kind":"triplet","head":"bright","options":["soft","dark"],"gold":null,"strategy":"predictive","held_out":false,"session":"7cf18f66-76"}',1,1.79534971476329088205e+09,NULL);
INSERT INTO "pool" VALUES(140,1,'{"kind":"triplet","head":"soft","options":["calm","sharp"],"gold":null,"strategy":"predictive","held_out":false,"session":"7cf18f66-77"}',1,1.79534971476329088205e+09,NULL);
INSERT INTO "pool" VALUES(141,1,'{"kind":"triplet","head":"loud","options":["soft","sharp"],"gold":null,"strategy":"predictive","held_out":false,"session":"7cf18f66-78"}',1,1.79534971476329088205e+09,NULL);
INSERT INTO "pool" VALUES(142,1,'{"kind":"triplet","head":"calm","options":["loud","soft"],"gold":null,"strategy":"held out","held_out":true,"session":"7cf18f66-79"}',1,1.79534971476329088205e+09,NULL);
INSERT INTO "pool" VALUES(143,1,'{"kind":"triplet","head":"bright","options":["calm","loud"],"gold":null,"strategy":"predictive","held_out":false,"session":"7cf18f66-80"}',1,1.79534971476329088205e+09,NULL);
INSERT INTO "pool" VALUES(144,1,'{"kind":"triplet","head":"sharp","options":["dark","calm"],"gold":null,"strategy":"predictive","held_out":false,"session":"7cf18f66-81"}',1,1.79534971476329088205e+09,NULL);
INSERT INTO "pool" VALUES(145,1,'{"kind":"triplet","head":"loud","options":["sharp","calm"],"gold":null,"strategy":"held out","held_out":true,"session":"7cf18f66-82"}',1,1.79534971476329088205e+09,NULL);
INSERT INTO "pool" VALUES(146,1,'{"kind":"triplet","head":"loud","options":["calm","dark"],"gold":null,"strategy":"predictive","held_out":false,"session":"7cf18f66-83"}',1,1.79534971476329088205e+09,NULL);
INSERT INTO "pool" VALUES(147,1,'{"kind":"triplet","head":"soft","options":["dark","calm"],"gold":null,"strategy":"predictive","held_out":false,"session":"7cf18f66-84"}',1,1.79534971476329088205e+09,NULL);
INSERT INTO "pool" VALUES(148,1,'{"kind":"triplet","head":"calm","options":["bright","loud"],"gold":null,"strategy":"predictive","held_out":false,"session":"7cf18f66-85"}',1,1.79534971476329088205e+09,NULL);
INSERT INTO "pool" VALUES(149,1,'{"kind":"triplet","head":"calm","options":["bright","sharp"],"gold":null,"strategy":"predictive","held_out":false,"session":"7cf18f66-86"}',1,1.79534971476329088205e+09,NULL);
INSERT INTO "pool" VALUES(150,1,'{"kind":"triplet","head":"calm","options":["bright","dark"],"gold":null,"strategy":"predictive","held_out":false,"session":"7cf18f66-87"}',1,1.79534971476329088205e+09,NULL);
INSERT INTO "pool" VALUES(151,1,'{"kind":"triplet","head":"sharp","options":["dark","soft"],"gold":null,"strategy":"predictive","held_out":false,"session":"7cf18f66-88"}',1,1.79534971476329088205e+09,NULL);
INSERT INTO "pool" VALUES(152,1,'{"kind":"triplet","head":"soft","options":["sharp","bright"],"gold":null,"strategy":"held out","held_out":true,"session":"7cf18f66-89"}',1,1.79534971476329088205e+09,NULL);
INSERT INTO "pool" VALUES(153,1,'{"kind":"triplet","head":"dark","options":["sharp","soft"],"gold":null,"strategy":"predictive","held_out":false,"session":"7cf18f66-90"}',1,1.79534971476329088205e+09,NULL);
INSERT INTO "pool" VALUES(154,1,'{"kind":"triplet","head":"loud","options":["sharp","dark"],"gold":null,"strategy":"predictive","held_out":false,"session":"7cf18f66-91"}',1,1.79534971476329088205e+09,NULL);
INSERT INTO "pool" VALUES(155,1,'{"kind":"triplet","head":"bright","options":["soft","loud"],"gold":null,"strategy":"predictive","held_out":false,"session":"7cf18f66-92"}',1,1.79534971476329088205e+09,NULL);
INSERT INTO "pool" VALUES(156,1,'{"kind":"triplet","head":"sharp","options":["bright","dark"],"gold":null,"strategy":"predictive","held_out":false,"session":"7cf18f66-93"}',1,1.79534971476329088205e+09,NULL);
INSERT INTO "pool" VALUES(157,1,'{"kind":"triplet","head":"sharp","options":["dark","loud"],"gold":null,"strategy":"held out","held_out":true,"session":"7cf18f66-94"}',1,1.79534971476329088205e+09,NULL);
INSERT INTO "pool" VALUES(158,1,'{"kind":"triplet","head":"calm","options":["sharp","dark"],"gold":null,"strategy":"predictive","held_out":false,"session":"7cf18f66-95"}',1,1.79534971476329088205e+09,NULL);
INSERT INTO "pool" VALUES(159,1,'{"kind":"triplet","head":"soft","options":["bright","dark"],"gold":null,"strategy":"predictive","held_out":false,"session":"7cf18f66-96"}',1,1.79534971476329088205e+09,NULL);
INSERT INTO "pool" VALUES(160,1,'{"kind":"triplet","head":"dark","options":["soft","bright"],"gold":null,"strategy":"predictive","held_out":false,"session":"7cf18f66-97"}',1,1.79534971476329088205e+09,NULL);
INSERT INTO "pool" VALUES(161,1,'{"kind":"triplet","head":"sharp","options":["soft","calm"],"gold":null,"strategy":"held out","held_out":true,"session":"7cf18f66-98"}',1,1.79534971476329088205e+09,NULL);
INSERT INTO "pool" VALUES(162,1,'{"kind":"triplet","head":"loud","options":["soft","dark"],"gold":null,"strategy":"predictive","held_out":false,"session":"7cf18f66-99"}',1,1.79534971476329088205e+09,NULL);
INSERT INTO "pool" VALUES(163,1,'{"kind":"triplet","head":"soft","options":["loud","bright"],"gold":null,"strategy":"predictive","held_out":false,"session":"7cf18f66-100"}',1,1.79534971476329088205e+09,NULL);
INSERT INTO "pool" VALUES(164,1,'{"kind":"triplet","head":"bright","options":["dark","loud"],"gold":null,"strategy":"predictive","held_out":false,"session":"7cf18f66-101"}',1,1.79534971476329088205e+09,NULL);
INSERT INTO "pool" VALUES(165,1,'{"kind":"triplet","head":"dark","options":["sharp","calm"],"gold":null,"strategy":"predictive","held_out":false,"session":"7cf18f66-102"}',1,1.79534971476329088205e+09,NULL);
INSERT INTO "pool" VALUES(166,1,'{"kind":"triplet","head":"calm","options":["soft","bright"],"gold":null,"strategy":"predictive","held_out":false,"session":"7cf18f66-103"}',1,1.79534971476329088205e+09,NULL);
INSERT INTO "pool" VALUES(167,1,'{"kind":"triplet","head":"dark","options":["loud","soft"],"gold":null,"strategy":"predictive","held_out":false,"session":"7cf18f66-104"}',1,1.79534971476329088205e+09,NULL);
INSERT INTO "pool" VALUES(168,1,'{"kind":"triplet","head":"sharp","options":["loud","bright"],"gold":null,"strategy":"predictive","held_out":false,"session":"7cf18f66-105"}',1,1.79534971476329088205e+09,NULL);
INSERT INTO "pool" VALUES(169,1,'{"kind":"triplet","head":"loud","options":["sharp","bright"],"gold":null,"strategy":"held out","held_out":true,"session":"7cf18f66-106"}',1,1.79534971476329088205e+09,NULL);
INSERT INTO "pool" VALUES(170,1,'{"kind":"triplet","head":"dark","options":["loud","bright"],"gold":null,"strategy":"predictive","held_out":false,"session":"7cf18f66-107"}',1,1.79534971476329088205e+09,NULL);
INSERT INTO "pool" VALUES(171,1,'{"kind":"triplet","head":"soft","options":["loud","dark"],"gold":null,"strategy":"predictive","held_out":false,"session":"7cf18f66-108"}',1,1.79534971476329088205e+09,NULL);
INSERT INTO "pool" VALUES(172,1,'{"kind":"triplet","head":"dark","options":["calm","bright"],"gold":null,"strategy":"predictive","held_out":false,"session":"7cf18f66-109"}',1,1.79534971476329088205e+09,NULL);
INSERT INTO "pool" VALUES(173,1,'{"kind":"triplet","head":"sharp","options":["bright","soft"],"gold":null,"strategy":"predictive","held_out":false,"session":"7cf18f66-110"}',1,1.79534971476329088205e+09,NULL);
INSERT INTO "pool" VALUES(174,1,'{"kind":"triplet","head":"dark","options":["bright","sharp"],"gold":null,"strategy":"predictive","held_out":false,"session":"7cf18f66-111"}',1,1.79534971476329088205e+09,NULL);
INSERT INTO "pool" VALUES(175,1,'{"kind":"triplet","head":"bright","options":["sharp","loud"],"gold":null,"strategy":"predictive","held_out":false,"session":"7cf18f66-112"}',1,1.79534971476329088205e+09,NULL);
INSERT INTO "pool" VALUES(176,1,'{"kind":"triplet","head":"calm","options":["dark","loud"],"gold":null,"strategy":"predictive","held_out":false,"session":"7cf18f66-113"}',1,1.79534971476329088205e+09,NULL);
INSERT INTO "pool" VALUES(177,1,'{"kind":"triplet","head":"calm","options":["soft","sharp"],"gold":null,"strategy":"held out","held_out":true,"session":"7cf18f66-114"}',1,1.79534971476329088205e+09,NULL);
INSERT INTO "pool" VALUES(178,1,'{"kind":"triplet","head":"sharp","options":["calm","bright"],"gold":null,"strategy":"predictive","held_out":false,"session":"7cf18f66-115"}',1,1.79534971476329088205e+09,NULL);
INSERT INTO "pool" VALUES(179,1,'{"kind":"triplet","head":"dark","options":["loud","sharp"],"gold":null,"strategy":"predictive","held_out":false,"session":"7cf18f66-116"}',1,1.79534971476329088205e+09,NULL);
INSERT INTO "pool" VALUES(180,1,'{"kind":"triplet","head":"bright","options":["calm","soft"],"gold":null,"strategy":"predictive","held_out":false,"session":"7cf18f66-117"}',1,1.79534971476329088205e+09,NULL);
CREATE TABLE pulses (
	study INTEGER NOT NULL, 
	at DOUBLE NOT NULL, 
	told JSON NOT NULL, 
	CONSTRAINT pk_pulses PRIMARY KEY (study), 
	CONSTRAINT fk_pulses_study FOREIGN KEY(study) REFERENCES studies (id)
);
INSERT INTO "pulses" VALUES(1,1.79534971537596750252e+09,'{"answers":25,"purposes":{"practice":6,"gold":5,"main":19,"skipped":1},"people":3,"whole":{"width":60.0,"bins":[[29922495,{"answers":25,"people":3}]]},"recent":{"width":60.0,"bins":[[29922495,{"answers":25,"people":3}]]},"not_drawn":{}}');
CREATE TABLE questions (
	id VARCHAR NOT NULL, 
	study INTEGER NOT NULL, 
	participant INTEGER NOT NULL, 
	place INTEGER NOT NULL, 
	kind VARCHAR NOT NULL, 
	purpose VARCHAR NOT NULL, 
	spec JSON NOT NULL, 
	pool_id INTEGER, 
	served DOUBLE NOT NULL, 
	state VARCHAR NOT NULL, 
	CONSTRAINT pk_questions PRIMARY KEY (id), 
	CONSTRAINT uq_questions_participant_place UNIQUE (participant, place), 
	CONSTRAINT fk_questions_study FOREIGN KEY(study) REFERENCES studies (id), 
	CONSTRAINT fk_questions_participant FOREIGN KEY(participant) REFERENCES participants (id), 
	CONSTRAINT fk_questions_pool_id FOREIGN KEY(pool_id) REFERENCES pool (id) ON DELETE SET NULL
);
INSERT INTO "questions" VALUES('HO-Zv8q5Fqf1p18SLRCTPA',1,1,0,'triplet','practice','{"kind":"triplet","head":"dark","options":["bright","soft"],"gold":null,"strategy":"random","held_out":false,"session":null}',NULL,1.79534970466718196866e+09,'answered');
INSERT INTO "questions" VALUES('c73CXttD7Y75vCi52wGYoQ',1,1,1,'triplet','practice','{"kind":"triplet","head":"loud","options":["calm","bright"],"gold":null,"strategy":"random","held_out":false,"session":null}',NULL,1.79534970466718196866e+09,'answered');
INSERT INTO "questions" VALUES('XwCZGzpb5lITLRxE8xHNxw',1,1,2,'triplet','gold','{"kind":"triplet","head":"dark","options":["dark","loud"],"gold":0,"strategy":"gold","held_out":false,"session":null}',NULL,1.79534970466718196866e+09,'answered');
INSERT INTO "questions" VALUES('kn6W8wQCz359oG28o4TXeg',1,1,3,'triplet','gold','{"kind":"triplet","head":"loud","options":["sharp","loud"],"gold":1,"strategy":"gold","held_out":false,"session":null}',NULL,1.79534970466718196866e+09,'answered');
INSERT INTO "questions" VALUES('2cCFowWuZ53XVpXJr28KPA',1,1,4,'triplet','main','{"kind":"triplet","head":"soft","options":["loud","calm"],"gold":null,"strategy":"random","held_out":false,"session":null}',NULL,1.79534970471919608117e+09,'answered');
INSERT INTO "questions" VALUES('0i0ibavjv8qoERXB0us5yQ',1,1,5,'triplet','main','{"kind":"triplet","head":"calm","options":["soft","dark"],"gold":null,"strategy":"random","held_out":false,"session":null}',NULL,1.79534970477361631394e+09,'answered');
INSERT INTO "questions" VALUES('itoPtZs4FOSYzpmVZ1cZsg',1,1,6,'triplet','main','{"kind":"triplet","head":"loud","options":["dark","calm"],"gold":null,"strategy":"random","held_out":false,"session":null}',NULL,1.79534970480656385421e+09,'answered');
INSERT INTO "questions" VALUES('HyPDsCCOK6zVGMc_uKCP8g',1,1,7,'triplet','main','{"kind":"triplet","head":"bright","options":["loud","calm"],"gold":null,"strategy":"random","held_out":false,"session":null}',NULL,1.79534970482209086414e+09,'answered');
INSERT INTO "questions" VALUES('56b6o91tEZgEUfsvh-XMbQ',1,1,8,'triplet','main','{"kind":"triplet","head":"dark","options":["bright","sharp"],"gold":null,"strategy":"random","held_out":false,"session":null}',NULL,1.7953497048398690223e+09,'answered');
INSERT INTO "questions" VALUES('99sg2RGWdmgCNZ_4Z4bX0g',1,1,9,'triplet','main','{"kind":"triplet","head":"loud","options":["sharp","bright"],"gold":null,"strategy":"random","held_out":false,"session":null}',NULL,1.79534970485224294658e+09,'answered');
INSERT INTO "questions" VALUES('5aaryUAzCqlk4ZeXPsWq5w',1,1,10,'triplet','main','{"kind":"triplet","head":"soft","options":["dark","loud"],"gold":null,"strategy":"random","held_out":false,"session":null}',NULL,1.79534970488200354573e+09,'answered');
INSERT INTO "questions" VALUES('odqsitjO0m2_KRiLrq6XWw',1,1,11,'triplet','main','{"kind":"triplet","head":"dark","options":["loud","bright"],"gold":null,"strategy":"random","held_out":false,"session":null}',NULL,1.79534970491932225223e+09,'answered');
INSERT INTO "questions" VALUES('vaNGHLJm5yrCbRvSpOVvDA',1,2,0,'triplet','practice','{"kind":"triplet","head":"bright","options":["dark","sharp"],"gold":null,"strategy":"random","held_out":false,"session":null}',NULL,1.79534970535921621324e+09,'answered');
INSERT INTO "questions" VALUES('9CZU6naZjyUfXInwONxRMA',1,2,1,'triplet','practice','{"kind":"triplet","head":"dark","options":["bright","loud"],"gold":null,"strategy":"random","held_out":false,"session":null}',NULL,1.79534970535921621324e+09,'answered');
INSERT INTO "questions" VALUES('iUIXWR-ttKE8pvqAi19soA',1,2,2,'triplet','main','{"kind":"triplet","head":"loud","options":["sharp","calm"],"gold":null,"strategy":"random","held_out":false,"session":null}',NULL,1.79534970535921621324e+09,'answered');
INSERT INTO "questions" VALUES('fzwqXaCCDtcnoKNieWpnOQ',1,2,3,'triplet','gold','{"kind":"triplet","head":"dark","options":["dark","sharp"],"gold":0,"strategy":"gold","held_out":false,"session":null}',NULL,1.79534970535921621324e+09,'answered');
INSERT INTO "questions" VALUES('Of91Wi-2Ch0uDCBZHySHEA',1,2,4,'triplet','main','{"kind":"triplet","head":"bright","options":["soft","calm"],"gold":null,"strategy":"random","held_out":false,"session":null}',NULL,1795349705.84373,'skipped');
INSERT INTO "questions" VALUES('QYeA1gI53oNn7X47qyxx-w',1,2,5,'triplet','main','{"kind":"triplet","head":"soft","options":["bright","calm"],"gold":null,"strategy":"random","held_out":false,"session":null}',NULL,1.79534970591769695285e+09,'answered');
INSERT INTO "questions" VALUES('j8hwlJrdXMte5nGgi5s4FA',1,2,6,'triplet','main','{"kind":"triplet","head":"bright","options":["loud","dark"],"gold":null,"strategy":"random","held_out":false,"session":null}',NULL,1.79534970601038837431e+09,'answered');
INSERT INTO "questions" VALUES('Wg9VbJKUVP2PbJqnggDJTg',1,2,7,'triplet','gold','{"kind":"triplet","head":"calm","options":["calm","dark"],"gold":0,"strategy":"gold","held_out":false,"session":null}',NULL,1795349706.03761,'out');
INSERT INTO "questions" VALUES('-QfOvih_8jSZsLynOb1qSA',1,2,8,'triplet','main','{"kind":"triplet","head":"soft","options":["dark","calm"],"gold":null,"strategy":"random","held_out":false,"session":null}',NULL,1.79534970605747985837e+09,'out');
INSERT INTO "questions" VALUES('VtsCMqII8YWmyP0sFr6xYQ',1,2,9,'triplet','main','{"kind":"triplet","head":"calm","options":["bright","loud"],"gold":null,"strategy":"random","held_out":false,"session":null}',NULL,1.79534970606090497967e+09,'out');
INSERT INTO "questions" VALUES('irKet9HHJVTN2cTIeSrGwA',1,2,10,'triplet','main','{"kind":"triplet","head":"bright","options":["soft","loud"],"gold":null,"strategy":"random","held_out":false,"session":null}',NULL,1.7953497060754449368e+09,'out');
INSERT INTO "questions" VALUES('cPnM-6EhKoSa8V2_sepJ3w',1,3,0,'triplet','practice','{"kind":"triplet","head":"soft","options":["sharp","calm"],"gold":null,"strategy":"random","held_out":false,"session":null}',NULL,1.79534970628028488163e+09,'answered');
INSERT INTO "questions" VALUES('SS8G14CqX_5o1xnrwHXSnA',1,3,1,'triplet','practice','{"kind":"triplet","head":"dark","options":["loud","sharp"],"gold":null,"strategy":"random","held_out":false,"session":null}',NULL,1.79534970628028488163e+09,'answered');
INSERT INTO "questions" VALUES('JTaJjzG5X80teuT8rY3U2w',1,3,2,'triplet','main','{"kind":"triplet","head":"dark","options":["soft","bright"],"gold":null,"strategy":"random","held_out":false,"session":null}',NULL,1.79534970628028488163e+09,'answered');
INSERT INTO "questions" VALUES('PDvsA-JE6tYTs3dx6NhKpQ',1,3,3,'triplet','main','{"kind":"triplet","head":"loud","options":["sharp","soft"],"gold":null,"strategy":"random","held_out":false,"session":null}',NULL,1.79534970628028488163e+09,'answered');
INSERT INTO "questions" VALUES('TYaGteUuva9J29qkPVzeaw',1,3,4,'triplet','main','{"kind":"triplet","head":"soft","options":["sharp","bright"],"gold":null,"strategy":"random","held_out":false,"session":null}',NULL,1.79534970630419969551e+09,'answered');
INSERT INTO "questions" VALUES('IEAqEAYCpJVS3gxXNLsRog',1,3,5,'triplet','gold','{"kind":"triplet","head":"loud","options":["bright","loud"],"gold":1,"strategy":"gold","held_out":false,"session":null}',NULL,1.79534970632563376426e+09,'answered');
INSERT INTO "questions" VALUES('OVMUl9cq8gULeO1pOQaq5w',1,3,6,'triplet','main','{"kind":"triplet","head":"loud","options":["dark","soft"],"gold":null,"strategy":"random","held_out":false,"session":null}',NULL,1.79534970636828780177e+09,'answered');
INSERT INTO "questions" VALUES('DC36wDeQiYx4PMdXnCpSZQ',1,3,7,'triplet','main','{"kind":"triplet","head":"loud","options":["bright","calm"],"gold":null,"strategy":"random","held_out":false,"session":null}',NULL,1.79534970641979527475e+09,'answered');
INSERT INTO "questions" VALUES('H0SVPB2Lcst_aKUF3AFBBw',1,3,8,'triplet','main','{"kind":"triplet","head":"dark","options":["calm","soft"],"gold":null,"strategy":"random","held_out":false,"session":null}',NULL,1.79534970646543478962e+09,'answered');
INSERT INTO "questions" VALUES('Ks1caAmLz528bgzBdgG5dw',1,3,9,'triplet','gold','{"kind":"triplet","head":"soft","options":["soft","dark"],"gold":0,"strategy":"gold","held_out":false,"session":null}',NULL,1.79534970648648428918e+09,'answered');
INSERT INTO "questions" VALUES('Q3jjfoEQBGK1cAYzwc5Qxw',1,3,10,'triplet','main','{"kind":"triplet","head":"soft","options":["calm","sharp"],"gold":null,"strategy":"random","held_out":false,"session":null}',NULL,1.79534970649266791345e+09,'answered');
INSERT INTO "questions" VALUES('TjnzgQc7EGXqIMNQnr8Bpw',1,3,11,'triplet','main','{"kind":"triplet","head":"loud","options":["calm","soft"],"gold":null,"strategy":"random","held_out":false,"session":null}',NULL,1.79534970651390933995e+09,'answered');
CREATE TABLE resemblance_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT resemblance_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "resemblance_version" VALUES('0003');
CREATE TABLE spaces (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	study INTEGER NOT NULL, 
	made DOUBLE NOT NULL, 
	answers INTEGER NOT NULL, 
	model BLOB NOT NULL, 
	positions JSON NOT NULL, 
	uncertainty JSON, 
	scores JSON NOT NULL, 
	CONSTRAINT fk_spaces_study FOREIGN KEY(study) REFERENCES studies (id)
);
INSERT INTO "spaces" VALUES(1,1,1.79534971352822399137e+09,28,X'504B0304140000000800E661765D8B24317E93010000900300000A0000006D6F64656C2E6A736F6E6D53CB6EDB3010BCFB2B089E0383729C22CE3D5F10DF8A40584B6B8B281F02B96A9A06FAF772493A60E31C64616677F6A5F1C746C8B30F16483E091930A23D1970030AEB4734F22EC57F6388DABB94B06358024FE2632384C4483A897D60F9F1E5F8CC0A216708146B8E90AE1FBC9DBD439749AE224A5B560DDE87513B208CB244667460E83D05D5F6FEAE96D04EF38C5DC1154958C85795853FBD26E4493AA55421C99B5C46A92A0CE0466FFB48A91F470AFB062173818B9EC1442CFC096898FAA8FF72AE5B8C2934987902EEB3ADFA61F27AC0FEBAF195E0095F6819D3E2C732E597D3FC5F2B332BFFAE754B421B9BAA19375A07161B9CD65D66C35D7F56220D02C6D6D60C8D5FC6069E82BE4CD41023845F0D8CFEDC46E304619615BE96F75AC3F28C404BC8F37C5E8A3BC209CD573279E67293499ACC0D59ABF6D755397673A7645A1C93872ECDAD200478CF1651B2495D9C4D5F23D919C76F93BB36D9F898CFDF75DBFBDDFEB0573FF68F0FEAB03B3C7EBA32198E331EAA0FBC4BFF964BA94D61A936CADFFCDB76BBD26E939F75B3FE03504B03042D00000008000000210073399ECCFFFFFFFFFFFFFFFF0600140061302E6E707901001000E000000000000000AC000000000000009BEC17EA1B10C9C850C650AD9E925A9C5CA46EA5A06E9366A1AEA3A09E965F54529498179F5F94920A12774BCC294E058A17672416A402F91A663A0A469A3A0AB50A6403AECAA55973A63E7FBB5F2DBB6FEDA315F7ED27759C8C7FF87C957D5B5879CA158DEBFBFF5ACBEC36D39D662F22D9BEF55ECDD9FDC28FB26A6E1D786F5FF1FE087F5AFB0BFBCCFBD7962E7D7A677FD2B4CAE7F5D25BEC530AB5FD7C8AAFD8FB3FBBDBBCF4F5F3FD00504B03042D000000080000002100C09567C8FFFFFFFFFFFFFFFF0600140061312E6E707901001000800000000000000044000000000000009BEC17EA1B10C9C850C650AD9E925A9C5CA46EA5A06E9369A1AEA3A09E965F54529498179F5F94920A12774BCC294E058A17672416A402F91A063A9A3A0AB50A14002E00504B03042D000000080000002100FB8AD71CFFFFFFFFFFFFFFFF0600140061322E6E707901001000980000000000000047000000000000009BEC17EA1B10C9C850C650AD9E925A9C5CA46EA5A06E9369A2AEA3A09E965F54529498179F5F94920A12774BCC294E058A17672416A402F91A663A9A3A0AB50A14002E061C0000504B01021403140000000800E661765D8B24317E93010000900300000A00000000000000000000008001000000006D6F64656C2E6A736F6E504B01022D032D00000008000000210073399ECCAC000000E00000000600000000000000000000008001BB01000061302E6E7079504B01022D032D000000080000002100C09567C8440000008000000006000000000000000000000080019F02000061312E6E7079504B01022D032D000000080000002100FB8AD71C470000009800000006000000000000000000000080011B03000061322E6E7079504B05060000000004000400D40000009A0300000000','[[-0.93452,0.494683],[0.0525504,-0.361867],[0.0216569,-0.230373],[0.992292,0.766528],[-0.451517,0.0785446],[0.319537,-0.747515]]','[0.592906,0.579933,0.642683,0.562212,0.588001,0.600593]','{"error":null,"held_out":0,"fitted":19,"shown":[13,16,10,12,18,12],"trust":1.0,"seconds":0.0312547,"strategies":{},"ceiling":{"error":0.5,"low":0.5,"high":0.5,"questions":1},"advice":[{"more":5,"gain":0.0114733,"low":-0.0277248,"high":0.0593418,"trials":7,"hours":0.1,"cost":0.0,"currency":"USD"},{"more":19,"gain":0.0268175,"low":-0.0203423,"high":0.0801546,"trials":24,"hours":0.33,"cost":0.0,"currency":"USD"}]}');
CREATE TABLE studies (
	id INTEGER NOT NULL, 
	name VARCHAR NOT NULL, 
	settings VARCHAR NOT NULL, 
	stimuli JSON NOT NULL, 
	state VARCHAR NOT NULL, 
	created DOUBLE NOT NULL, changes JSON, secret VARCHAR DEFAULT '' NOT NULL, 
	CONSTRAINT pk_studies PRIMARY KEY (id), 
	CONSTRAINT uq_studies_name UNIQUE (name)
);
INSERT INTO "studies" VALUES(1,'words','[study]
name = "words"
title = "Words that are alike"

[stimuli]
items = "items.csv"

[tasks]
per_participant = 1
task_size = 10
practice = 2

[asking]
start_per_head = 2
refit_every = 10
held_out = 0.1

[quality]
rules = [{ measure = "side", above = 0.95, after = 10, action = "flag" }]

[recruitment]
source = "prolific"
completion_code = "C0FFEE42"

[pages]
questionnaire = ["pages/about.md"]
','{"calm":"2b4b2eadf7b2aece598d2f2ad4637361","loud":"db1a60bbff220d0910f017477df18cb7","bright":"a87b3e348ccb598ecb71bb83300a2bf8","dark":"e6bb5689beec52c4672bd4df92c3613d","soft":"f5f445528f4a0134354c891fbd95fd07","sharp":"632e93023886160a2a5494cd49aeb729"}','open',1.79534970419759225841e+09,NULL,'2ff4846ca28b29d6d5445664ef57da5d');
CREATE TABLE tallies (
	participant INTEGER NOT NULL, 
	study INTEGER NOT NULL, 
	answers INTEGER NOT NULL, 
	flagged BOOLEAN NOT NULL, 
	figures JSON NOT NULL, 
	CONSTRAINT pk_tallies PRIMARY KEY (participant), 
	CONSTRAINT fk_tallies_participant FOREIGN KEY(participant) REFERENCES participants (id), 
	CONSTRAINT fk_tallies_study FOREIGN KEY(study) REFERENCES studies (id)
);
INSERT INTO "tallies" VALUES(1,1,10,0,'{"answers":10,"skipped":0,"gold_answers":2,"gold_right":2,"repeat_answers":0,"repeat_agreement":null,"median_rt_ms":400.0,"fast_share":0.0,"side_share":0.6,"likelihood":0.596745,"flags":"","latest":1795349705.0474012}');
INSERT INTO "tallies" VALUES(2,1,4,0,'{"answers":4,"skipped":1,"gold_answers":1,"gold_right":1,"repeat_answers":0,"repeat_agreement":null,"median_rt_ms":400.0,"fast_share":0.0,"side_share":1.0,"likelihood":0.681641,"flags":"","latest":1795349706.075445}');
INSERT INTO "tallies" VALUES(3,1,10,1,'{"answers":10,"skipped":0,"gold_answers":2,"gold_right":1,"repeat_answers":0,"repeat_agreement":null,"median_rt_ms":400.0,"fast_share":0.0,"side_share":1.0,"likelihood":0.433569,"flags":"side 1.00 in 10 answers (rule: side above 0.95)","latest":1795349706.5499763}');
CREATE INDEX ix_pages_study ON pages (study);
CREATE INDEX ix_exclusions_study ON exclusions (study);
CREATE INDEX ix_events_study ON events (study);
CREATE INDEX ix_answers_participant ON answers (participant);
CREATE INDEX ix_answers_log ON answers (study, id);
CREATE INDEX ix_questions_study ON questions (study, served);
CREATE INDEX ix_questions_pool ON questions (pool_id);
CREATE INDEX ix_questions_out ON questions (participant) WHERE state = 'out';
CREATE INDEX ix_pool_free ON pool (study, id) WHERE taken IS NULL;
CREATE INDEX ix_spaces_study_id ON spaces (study, id);
CREATE INDEX ix_tallies_study ON tallies (study);
CREATE INDEX ix_exclusions_participant ON exclusions (participant, id);
CREATE INDEX ix_events_trail ON events (study, id) WHERE what NOT IN ('fit', 'map');
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('events',6);
INSERT INTO "sqlite_sequence" VALUES('answers',43);
INSERT INTO "sqlite_sequence" VALUES('exclusions',1);
INSERT INTO "sqlite_sequence" VALUES('pool',180);
INSERT INTO "sqlite_sequence" VALUES('spaces',1);
COMMIT;
